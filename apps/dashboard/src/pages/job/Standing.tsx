import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Copy } from '../../kit/Copy';
import { Facts } from '../../kit/Facts';
import { JobStatus } from '../../kit/JobStatus';
import { Name } from '../../kit/Name';
import { Panel } from '../../kit/Panel';
import { StatusText } from '../../kit/StatusText';
import { heldWord } from '../../kit/waiting';
import { useNow, When } from '../../kit/When';
import { pathTo } from '../../routes/paths';
import { utc, visible } from '../../text/format';
import { job as words } from '../../text/job';
import { JobActions } from './JobActions';
import { levelsQuery, type JobDetail, type Verdict } from './job-queries';
import { currentAttempt, isFinished, sentencesOf } from './standing';
import { TraceLink } from './TraceLink';
import { VerdictLine } from './VerdictLine';
import { jobs } from '../../text/jobs';
import classes from './Standing.module.css';

const { standing: text } = words;

interface Props {
  readonly job: JobDetail;
  readonly verdicts: readonly Verdict[];
}

/** Whoever comes at three in the morning reads this and may stop here. */
export function Standing({ job, verdicts }: Props) {
  const nowMs = useNow();
  const levels = useQuery(levelsQuery(job));
  const verdict = verdicts.find(({ attempt, evidence }) => attempt === job.attempt && evidence?.kind !== 'report') ?? null;
  const sentences = sentencesOf(job, { levels: levels.data?.levels ?? null, verdict, nowMs });
  const open = verdict !== null && !isFinished(job) && ['shown', 'proposed', 'expired', 'approved', 'refused'].includes(verdict.state);
  return (
    <Panel title={text.title} aside={<Copy text={job.id} label={text.copyId} />}>
      <Stack gap="md">
        <div className={classes.words}>
          <Group gap="xs">
            <JobStatus status={job.status} />
            {job.heldBy !== undefined && <StatusText text={jobs.held(heldWord(job.heldBy))} tone="warn" shape="pause" filled />}
          </Group>
          {sentences.map((sentence, i) => (
            <Text key={sentence} fw={i === 0 ? 600 : undefined} className={classes.sentence}>
              {sentence}
            </Text>
          ))}
          {open && <VerdictLine verdict={verdict} job={job} levels={levels.data?.levels ?? null} />}
          {job.erased !== undefined && <Text size="sm">{text.erased(utc(Date.parse(job.erased.at)), visible(job.erased.by), visible(job.erased.reason))}</Text>}
        </div>
        <FactsOf job={job} />
        <JobActions job={job} quiet={open && verdict.state === 'proposed'} />
      </Stack>
    </Panel>
  );
}

function FactsOf({ job }: { readonly job: JobDetail }) {
  const { facts } = text;
  const most = job.maxRetries === undefined ? null : job.maxRetries + 1;
  const attempt = currentAttempt(job);
  const worker = attempt?.workers.at(-1);
  return (
    <Facts
      facts={[
        [facts.kind, job.kind === null ? null : <Name key="kind" text={job.kind} />],
        [facts.attempt, most === null ? String(job.attempt) : facts.ofAttempts(String(job.attempt), String(Math.max(most, job.attempt)))],
        [
          facts.worker,
          worker === undefined ? null : (
            <Anchor key="worker" component={Link} to={pathTo.jobs({ namespace: job.namespace, worker: worker.id })} size="sm">
              <Name text={worker.id} />
            </Anchor>
          ),
        ],
        [facts.revision, worker?.revision === undefined ? null : <Name key="revision" text={worker.revision} />],
        [facts.since, <When key="since" at={job.since} />],
        [facts.queuedAt, job.queuedAt === undefined ? null : <When key="queued" at={job.queuedAt} />],
        [facts.token, <code key="token">{String(job.token)}</code>],
        [facts.trace, <TraceLink key="trace" job={job} />],
      ]}
    />
  );
}
