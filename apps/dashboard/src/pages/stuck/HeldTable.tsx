import { Text } from '@mantine/core';
import type { components } from '../../api/generated/schema';
import { DataTable, type Column } from '../../kit/DataTable';
import { JobLink } from '../../kit/JobLink';
import { JobStatus } from '../../kit/JobStatus';
import { Name } from '../../kit/Name';
import { heldSentence } from '../../kit/waiting';
import { stuck } from '../../text/stuck';

const { now: text } = stuck;
const { heldColumns: titles } = text;
type Job = components['schemas']['JobSummary'];

const COLUMNS: readonly Column<Job>[] = [
  { key: 'job', title: titles.job, cell: (job) => <JobLink job={job} /> },
  { key: 'queue', title: titles.queue, cell: ({ queue }) => <Name text={queue} /> },
  { key: 'status', title: titles.status, cell: ({ status }) => <JobStatus status={status} /> },
  { key: 'why', title: titles.why, cell: ({ heldBy = '' }) => heldSentence(heldBy) },
];

/** Jobs that would be decided on if nothing spoke against it, each with what ends that. */
export function HeldTable({ jobs, more }: { readonly jobs: readonly Job[]; readonly more: boolean }) {
  return (
    <>
      <Text size="sm" c="dimmed" p="md">
        {jobs.length === 0 ? text.heldNone : text.heldLead}
      </Text>
      {jobs.length > 0 && <DataTable label={text.held} columns={COLUMNS} rows={jobs} rowKey={({ queue, id }) => JSON.stringify([queue, id])} />}
      {more && (
        <Text size="sm" c="dimmed" px="md" py="xs">
          {text.more}
        </Text>
      )}
    </>
  );
}
