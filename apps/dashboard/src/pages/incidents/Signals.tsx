import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { DataTable, type Column } from '../../kit/DataTable';
import { Empty } from '../../kit/Empty';
import { figuresText } from '../../kit/figures';
import { Name } from '../../kit/Name';
import { Panel } from '../../kit/Panel';
import { QueryView } from '../../kit/QueryView';
import { When } from '../../kit/When';
import { pathTo } from '../../routes/paths';
import { count, visible } from '../../text/format';
import { incidents } from '../../text/incidents';
import { signalsQuery, type Signal } from './incidents-queries';

const { signals: text } = incidents;

const COLUMNS: readonly Column<Signal>[] = [
  { key: 'queue', title: text.columns.queue, cell: ({ queue }) => (queue === null ? text.noQueue : <Name text={queue} />) },
  { key: 'became', title: text.columns.became, cell: became },
  { key: 'source', title: text.columns.source, cell: ({ source }) => text.source[source] },
  { key: 'since', title: text.columns.since, cell: ({ seenAt }) => <When at={seenAt} /> },
  { key: 'times', title: text.columns.times, number: true, cell: ({ times }) => count(times) },
  { key: 'figures', title: text.columns.figures, cell: ({ figures }) => figuresText(figures) },
];

/** Which queues are called critical now, and which alerts led to nothing, and why. */
export function Signals({ namespace }: { readonly namespace: string | null }) {
  const open = useQuery(signalsQuery(namespace, 'open'));
  const standing = useQuery(signalsQuery(namespace, 'standing'));
  const settled = useQuery(signalsQuery(namespace, 'settled'));
  return (
    <Stack gap="lg">
      <Text size="sm">{text.lead}</Text>
      <Panel title={text.title} flush>
        <QueryView query={open} lines={2}>
          {({ items: waiting }) => (
            <QueryView query={standing} lines={2}>
              {({ items }) => <Table label={text.title} signals={[...waiting, ...items]} none={{ title: text.none, text: text.noneText }} />}
            </QueryView>
          )}
        </QueryView>
      </Panel>
      <Panel title={text.settledTitle} flush>
        <QueryView query={settled} lines={2}>
          {({ items }) => <Table label={text.settledTitle} signals={items} none={{ title: text.noneSettled }} />}
        </QueryView>
      </Panel>
    </Stack>
  );
}

function Table({ label, signals, none }: { readonly label: string; readonly signals: readonly Signal[]; readonly none: { readonly title: string; readonly text?: string } }) {
  return signals.length === 0 ? <Empty {...none} /> : <DataTable label={label} columns={COLUMNS} rows={signals} rowKey={({ id }) => id} />;
}

function became({ incidentId, settled, detail }: Signal) {
  if (incidentId !== null) {
    return (
      <Anchor component={Link} to={pathTo.incident(incidentId)} size="sm">
        {`${text.ofIncident} ${incidentId}`}
      </Anchor>
    );
  }
  if (settled === null) return text.waits;
  const why = Object.hasOwn(text.settled, settled) ? text.settled[settled as keyof typeof text.settled] : visible(settled);
  return detail === null ? why : `${why} ${visible(detail)}`;
}
