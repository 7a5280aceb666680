import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { Count } from '../../kit/Count';
import { DataTable, type Column } from '../../kit/DataTable';
import { LevelText } from '../../kit/LevelText';
import { Name } from '../../kit/Name';
import { pathTo } from '../../routes/paths';
import { common } from '../../text/common';
import { duration, ratio } from '../../text/format';
import { overview } from '../../text/overview';
import type { QueueView } from './overview-query';

const { columns: titles } = overview.queues;

const COLUMNS: readonly Column<QueueView>[] = [
  {
    key: 'queue',
    title: titles.queue,
    cell: ({ namespace, queue }) => (
      <Anchor component={Link} to={pathTo.jobs({ namespace, queue })} size="sm">
        <Name text={queue} />
      </Anchor>
    ),
  },
  { key: 'depth', title: titles.depth, number: true, cell: ({ depth }) => <Count value={depth} /> },
  { key: 'running', title: titles.running, number: true, cell: ({ running }) => <Count value={running} /> },
  { key: 'stuck', title: titles.stuck, number: true, cell: ({ stuck }) => <Count value={stuck} /> },
  { key: 'failures', title: titles.failures, number: true, cell: ({ failureRatio }) => (failureRatio === null ? common.none : ratio(failureRatio)) },
  { key: 'p95', title: titles.p95, number: true, cell: ({ quantiles: { p95Ms } }) => (p95Ms === null ? common.none : duration(p95Ms)) },
  { key: 'level', title: titles.level, cell: ({ levels }) => <LevelText level={levels.requeue} /> },
];

export function QueueTable({ queues }: { readonly queues: readonly QueueView[] }) {
  return <DataTable label={overview.queues.title} columns={COLUMNS} rows={queues} rowKey={({ namespace, queue }) => JSON.stringify([namespace, queue])} />;
}
