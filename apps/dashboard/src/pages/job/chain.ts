import type { ChainError } from '../../kit/ErrorText';
import { events } from '../../text/events';
import { visible } from '../../text/format';
import { job as words } from '../../text/job';
import { endOf, type EndKind } from './bars';
import { wordsOf } from './event-words';
import type { JobDetail } from './job-queries';

export interface ChainStep {
  readonly key: string;
  readonly attempt: number;
  readonly atMs: number | null;
  readonly text: string;
  /** What a person said with it. */
  readonly said?: string;
  /** Of an attempt that ended badly; null: a decision. */
  readonly end: EndKind | null;
  readonly error?: ChainError;
}

const BAD: ReadonlySet<EndKind> = new Set(['failed', 'failed-for-good', 'lost', 'hung', 'asked', 'released']);
const TOLD: ReadonlySet<string> = new Set(['dead-lettered', 'redriven', 'patched']);

/** Attempts that ended badly, dead letters, redrives and changes of the payload, in order: what led to what. */
export function chainOf(job: JobDetail): readonly ChainStep[] {
  const ends = job.attempts.flatMap((attempt): readonly ChainStep[] => {
    const end = endOf(job, attempt, 0);
    if (!BAD.has(end)) return [];
    const worker = attempt.workers.at(-1)?.id;
    const at = attempt.endedAt ?? attempt.releasedAt ?? requestAt(job, attempt.attempt);
    return [
      {
        key: `attempt ${String(attempt.attempt)}`,
        attempt: attempt.attempt,
        atMs: at === undefined ? null : Date.parse(at),
        text: words.causes.ended(String(attempt.attempt), words.attempts.end[end], worker === undefined ? null : visible(worker)),
        end,
        ...(attempt.error !== undefined && { error: attempt.error }),
      },
    ];
  });
  const decisions = job.decisions
    .filter(({ kind }) => TOLD.has(kind))
    .map((decision): ChainStep => {
      const said = wordsOf({ type: `jobwarden.job.${decision.kind}.v1`, data: { ...decision } });
      return {
        key: `decision ${String(decision.n)}`,
        attempt: decision.attempt,
        atMs: Date.parse(decision.at),
        text: said.by === undefined || said.by === events.jobwarden ? said.text : `${said.text} ${words.timeline.by(visible(said.by))}`,
        ...(said.said !== undefined && { said: said.said }),
        end: null,
      };
    });
  if (ends.length === 0) return decisions.length === 0 ? [] : decisions;
  // A dead letter is decided after the end that led to it, and both may have the same time.
  return [...ends, ...decisions].sort((a, b) => (a.atMs ?? 0) - (b.atMs ?? 0));
}

function requestAt(job: JobDetail, attempt: number): string | undefined {
  return job.decisions.findLast(({ kind, attempt: of }) => kind === 'restart-requested' && of === attempt)?.at;
}
