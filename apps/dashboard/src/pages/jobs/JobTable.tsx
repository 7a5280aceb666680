import { Stack } from '@mantine/core';
import { DataTable, type Column } from '../../kit/DataTable';
import { JobLink } from '../../kit/JobLink';
import { JobStatus } from '../../kit/JobStatus';
import { Name } from '../../kit/Name';
import { StatusText } from '../../kit/StatusText';
import { When } from '../../kit/When';
import { common } from '../../text/common';
import { jobs as words } from '../../text/jobs';
import { heldWord, waitWord } from '../../kit/waiting';
import type { Filters, JobSummary } from './filters';

const { columns: titles } = words;

const QUEUE: Column<JobSummary> = { key: 'queue', title: titles.queue, cell: ({ queue }) => <Name text={queue} /> };
const KIND: Column<JobSummary> = { key: 'kind', title: titles.kind, cell: ({ kind }) => (kind === null ? common.none : <Name text={kind} />) };

/** What is the same in every row since it was asked for stands in the filter, and nowhere else. */
function columnsFor(filters: Filters): readonly Column<JobSummary>[] {
  return [
    { key: 'id', title: titles.id, cell: (job) => <JobLink job={job} /> },
    {
      key: 'status',
      title: titles.status,
      cell: ({ status, heldBy }) => (
        <Stack gap={2} align="flex-start">
          <JobStatus status={status} />
          {heldBy !== undefined && <StatusText text={words.held(heldWord(heldBy))} tone="warn" shape="pause" />}
        </Stack>
      ),
    },
    { key: 'waitsFor', title: titles.waitsFor, cell: waitWord },
    { key: 'since', title: titles.since, cell: ({ since }) => <When at={since} /> },
    ...(filters.queue === undefined ? [QUEUE] : []),
    ...(filters.kind === undefined ? [KIND] : []),
    { key: 'attempt', title: titles.attempt, number: true, cell: ({ attempt }) => attempt },
  ];
}

export function JobTable({ jobs, filters }: { readonly jobs: readonly JobSummary[]; readonly filters: Filters }) {
  return <DataTable label={words.title} columns={columnsFor(filters)} rows={jobs} rowKey={({ queue, id }) => JSON.stringify([queue, id])} />;
}
