import { Text } from '@mantine/core';
import type { components } from '../../api/generated/schema';
import { DataTable, type Column } from '../../kit/DataTable';
import { JobLink } from '../../kit/JobLink';
import { Name } from '../../kit/Name';
import { heldSentence, waitWord } from '../../kit/waiting';
import { When } from '../../kit/When';
import { ago, count } from '../../text/format';
import { stuck } from '../../text/stuck';

const { now: text } = stuck;
const { underWayColumns: titles } = text;
type Job = components['schemas']['JobSummary'];

interface Props {
  readonly jobs: readonly Job[];
  readonly more: boolean;
  readonly nowMs: number;
}

/** Jobs that were found lost or hung, from then until their next attempt goes out. */
export function UnderWayTable({ jobs, more, nowMs }: Props) {
  const columns: readonly Column<Job>[] = [
    { key: 'job', title: titles.job, cell: (job) => <JobLink job={job} /> },
    { key: 'queue', title: titles.queue, cell: ({ queue }) => <Name text={queue} /> },
    { key: 'attempt', title: titles.attempt, cell: ({ attempt }) => count(attempt) },
    { key: 'next', title: titles.next, cell: (job) => nextOf(job, nowMs) },
    { key: 'since', title: titles.since, cell: ({ since }) => <When at={since} /> },
  ];
  return (
    <>
      <Text size="sm" c="dimmed" p="md">
        {jobs.length === 0 ? text.underWayNone : text.underWayLead}
      </Text>
      {jobs.length > 0 && <DataTable label={text.underWay} columns={columns} rows={jobs} rowKey={({ namespace, queue, id }) => JSON.stringify([namespace, queue, id])} />}
      {more && (
        <Text size="sm" c="dimmed" px="md" py="xs">
          {text.more}
        </Text>
      )}
    </>
  );
}

function nextOf(job: Job, nowMs: number): string {
  if (job.heldBy !== undefined) return heldSentence(job.heldBy);
  return job.waitsFor === 'grace' && job.lookAt !== null ? text.letsGo(ago(Date.parse(job.lookAt), nowMs)) : waitWord(job);
}
