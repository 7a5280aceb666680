import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { DataTable, type Column } from '../../kit/DataTable';
import { Empty } from '../../kit/Empty';
import { Name } from '../../kit/Name';
import { PageTurner } from '../../kit/PageTurner';
import { Panel } from '../../kit/Panel';
import { QueryView } from '../../kit/QueryView';
import { When } from '../../kit/When';
import { pathTo } from '../../routes/paths';
import { usePageQuery } from '../../routes/page-query';
import { deadLetters } from '../../text/dead-letters';
import { count } from '../../text/format';
import classes from './DeadLetters.module.css';
import { redrivesQuery, type RedriveRun, type Where } from './letter-queries';
import { QueueChoice } from './QueueChoice';
import { RedriveProgress } from './RedriveProgress';
import { RunStatus } from './RunStatus';

const { redrive: text } = deadLetters;

const COLUMNS: readonly Column<RedriveRun>[] = [
  {
    key: 'run',
    title: text.columns.run,
    cell: ({ id, namespace }) => (
      <Anchor component={Link} to={pathTo.redrive(id, { namespace })} size="sm">
        {text.title(id)}
      </Anchor>
    ),
  },
  { key: 'status', title: text.columns.status, cell: ({ status }) => <RunStatus status={status} /> },
  {
    key: 'far',
    title: text.columns.far,
    cell: (run) => (
      <Stack gap={4} miw="9rem">
        <RedriveProgress run={run} />
        <Text size="xs" c="dimmed">
          {text.far(count(run.redriven), count(run.refused), count(run.wanted))}
        </Text>
      </Stack>
    ),
  },
  { key: 'queue', title: text.columns.queue, cell: ({ queue }) => <Name text={queue} /> },
  { key: 'started', title: text.columns.started, cell: ({ startedAt }) => <When at={startedAt} /> },
  { key: 'by', title: text.columns.by, cell: ({ by }) => <Name text={by} /> },
  { key: 'why', title: text.columns.why, cell: ({ reason }) => <Name text={reason} /> },
];

export function RedriveRuns({ where }: { readonly where: Where }) {
  const [query] = usePageQuery();
  const next = query.get('next');
  const found = useQuery(redrivesQuery(where, next));
  return (
    <Stack gap="md">
      <div className={classes.tools}>
        <QueueChoice where={where} />
      </div>
      <Panel title={text.runs} flush>
        <QueryView query={found}>
          {({ items, next: after }) =>
            items.length === 0 && next === null ? (
              <Empty title={text.noRuns} text={text.noRunsText} />
            ) : (
              <div aria-busy={found.isPlaceholderData}>
                <DataTable label={text.runs} columns={COLUMNS} rows={items} rowKey={({ id }) => id} />
                <PageTurner at={next} next={after} />
              </div>
            )
          }
        </QueryView>
      </Panel>
    </Stack>
  );
}
