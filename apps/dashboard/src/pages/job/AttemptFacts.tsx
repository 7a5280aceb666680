import { Text } from '@mantine/core';
import { Name } from '../../kit/Name';
import { StatusText, type Shape, type Tone } from '../../kit/StatusText';
import { clockTime, duration, visible } from '../../text/format';
import { job as words } from '../../text/job';
import classes from './Attempts.module.css';
import type { Bar, EndKind } from './bars';
import type { AttemptView, JobDetail } from './job-queries';

const { attempts: text } = words;

export const END_LOOKS: Readonly<Record<EndKind, readonly [Tone, Shape]>> = {
  succeeded: ['ok', 'dot'],
  failed: ['bad', 'cross'],
  'failed-for-good': ['bad', 'square'],
  lost: ['warn', 'triangle'],
  hung: ['warn', 'triangle'],
  released: ['calm', 'ring'],
  asked: ['warn', 'hand'],
  running: ['busy', 'dot'],
  overdue: ['warn', 'triangle'],
  waiting: ['calm', 'ring'],
  never: ['calm', 'cross'],
  unknown: ['calm', 'ring'],
};

/** One attempt in words: who ran it, when, for how long, how it ended. */
export function AttemptFacts({ bar: { attempt, end }, job }: { readonly bar: Bar; readonly job: JobDetail }) {
  const [tone, shape] = END_LOOKS[end];
  const workers = attempt.workers;
  return (
    <div className={classes.facts}>
      <div className={classes.head}>
        <Text component="span" fw={600} size="sm">
          {text.attempt(String(attempt.attempt))}
        </Text>
        <StatusText text={text.end[end]} tone={tone} shape={shape} />
        {workers.length > 0 && (
          <Text component="span" size="sm">
            <Name text={workers.at(-1)?.id ?? ''} />
          </Text>
        )}
      </div>
      <p className={classes.small}>{factsOf(attempt, job).join(' · ')}</p>
      {workers.length > 1 && <p className={classes.small}>{text.several(workers.map(({ id }) => visible(id)).join(', '))}</p>}
      {attempt.progress !== undefined && <p className={classes.small}>{`${text.progress}: ${visible(JSON.stringify(attempt.progress)).slice(0, 300)}`}</p>}
      {attempt.overlapMs !== undefined && <p className={classes.note}>{text.overlap(duration(attempt.overlapMs))}</p>}
    </div>
  );
}

function factsOf(attempt: AttemptView, job: JobDetail): readonly string[] {
  const time = (at: string): string => clockTime(Date.parse(at));
  const { startedAt, endedAt, lastBeatAt, leaseEndsAt, durationMs, retryAfterMs, token, claimId } = attempt;
  const lengthMs = durationMs ?? (startedAt === undefined || endedAt === undefined ? null : Date.parse(endedAt) - Date.parse(startedAt));
  const revision = attempt.workers.at(-1)?.revision;
  const current = attempt.attempt === job.attempt;
  return [
    ...(startedAt === undefined ? [] : [text.began(time(startedAt))]),
    ...(lengthMs === null ? [] : [text.ran(duration(lengthMs))]),
    ...(lastBeatAt === undefined || (endedAt !== undefined && attempt.overlapMs === undefined) ? [] : [text.lastBeat(time(lastBeatAt))]),
    ...(leaseEndsAt === undefined || !current ? [] : [text.leaseEnds(time(leaseEndsAt))]),
    ...(retryAfterMs === undefined ? [] : [text.retryAfter(duration(retryAfterMs))]),
    ...(revision === undefined ? [] : [text.revision(visible(revision))]),
    ...(token === undefined ? [] : [text.token(String(token))]),
    ...(claimId === undefined ? [] : [text.claimed]),
  ];
}
