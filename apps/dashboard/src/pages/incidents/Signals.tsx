import { Anchor, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { DataTable, type Column } from '../../kit/DataTable';
import { Empty } from '../../kit/Empty';
import { figuresText } from '../../kit/figures';
import { Name } from '../../kit/Name';
import { PagedView } from '../../kit/PagedView';
import { Panel } from '../../kit/Panel';
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
  const open = useInfiniteQuery(signalsQuery(namespace, 'open'));
  const standing = useInfiniteQuery(signalsQuery(namespace, 'standing'));
  const settled = useInfiniteQuery(signalsQuery(namespace, 'settled'));
  const waiting = open.data?.pages.some(({ items }) => items.length > 0) === true;
  return (
    <Stack gap="lg">
      <Text size="sm">{text.lead}</Text>
      {(waiting || open.isError) && (
        <Panel title={text.waitingTitle} flush>
          <PagedView query={open} empty={null}>
            {(signals) => <Table label={text.waitingTitle} signals={signals} />}
          </PagedView>
        </Panel>
      )}
      <Panel title={text.title} flush>
        <PagedView query={standing} lines={2} empty={<Empty title={text.none} text={text.noneText} />}>
          {(signals) => <Table label={text.title} signals={signals} />}
        </PagedView>
      </Panel>
      <Panel title={text.settledTitle} flush>
        <PagedView query={settled} lines={2} empty={<Empty title={text.noneSettled} />}>
          {(signals) => <Table label={text.settledTitle} signals={signals} />}
        </PagedView>
      </Panel>
    </Stack>
  );
}

function Table({ label, signals }: { readonly label: string; readonly signals: readonly Signal[] }) {
  return <DataTable label={label} columns={COLUMNS} rows={signals} rowKey={({ id }) => id} />;
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
