import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DataTable, type Column } from '../../kit/DataTable';
import { Facts } from '../../kit/Facts';
import { Name } from '../../kit/Name';
import { Panel } from '../../kit/Panel';
import { When } from '../../kit/When';
import { visible } from '../../text/format';
import { job as words } from '../../text/job';
import { invalidationsQuery, type Invalidation, type JobDetail } from './job-queries';

const { invalidations: text } = words;
const { columns } = text;

const COLUMNS: readonly Column<Invalidation>[] = [
  { key: 'at', title: columns.at, cell: ({ at }) => <When at={at} /> },
  { key: 'sent', title: columns.sent, cell: ({ sentAt }) => (sentAt === null ? text.notSent : <When at={sentAt} />) },
  { key: 'cause', title: columns.cause, cell: ({ cause }) => text.cause[cause] },
  { key: 'attempt', title: columns.attempt, number: true, cell: ({ attempt }) => attempt },
  { key: 'what', title: columns.what, cell: ({ keys, tags }) => <Name text={[...keys, ...tags].join(', ')} /> },
];

/** Which cache entries it makes untrue, and what has been said of them. Left out where there are none. */
export function Invalidations({ job }: { readonly job: JobDetail }) {
  const sent = useQuery(invalidationsQuery(job));
  const items = sent.data?.items ?? [];
  const { invalidates } = job;
  if (invalidates === undefined && items.length === 0) return null;
  const names = (list: readonly string[] | undefined) => (list === undefined || list.length === 0 ? null : list.map(visible).join(', '));
  return (
    <Panel title={text.title} flush>
      <Stack gap="xs" p="md">
        {invalidates !== undefined && (
          <>
            <Text size="sm">{text.declared}</Text>
            <Facts
              facts={[
                [text.keys, names(invalidates.keys)],
                [text.tags, names(invalidates.tags)],
              ]}
            />
          </>
        )}
        {items.length === 0 && (
          <Text size="sm" c="dimmed">
            {text.none}
          </Text>
        )}
      </Stack>
      {items.length > 0 && <DataTable label={text.title} columns={COLUMNS} rows={items} rowKey={({ position, cause }) => `${String(position.shard)} ${String(position.number)} ${cause}`} />}
    </Panel>
  );
}
