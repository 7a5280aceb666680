import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { DataTable, type Column } from '../../kit/DataTable';
import { Name } from '../../kit/Name';
import { Panel } from '../../kit/Panel';
import { StatusText } from '../../kit/StatusText';
import { pathTo } from '../../routes/paths';
import { count } from '../../text/format';
import { incident as words } from '../../text/incident';
import type { Run } from './incident-queries';

const { queues: text } = words;
type RunQueue = Run['queues'][number];

const COLUMNS: readonly Column<RunQueue>[] = [
  {
    key: 'queue',
    title: text.columns.queue,
    cell: ({ namespace, queue }) => (
      <Anchor component={Link} to={pathTo.jobs({ namespace, queue })} size="sm">
        <Name text={queue} />
      </Anchor>
    ),
  },
  {
    key: 'state',
    title: text.columns.state,
    cell: ({ saturated }) => <StatusText text={saturated ? text.saturated : text.beside} tone={saturated ? 'bad' : 'calm'} shape={saturated ? 'triangle' : 'ring'} />,
  },
  { key: 'intake', title: text.columns.intake, cell: intakeText },
  { key: 'normal', title: text.columns.normal, number: true, cell: ({ normalPerSecond }) => (normalPerSecond === null ? text.unknown : text.perSecond(rate(normalPerSecond))) },
];

/** What each queue of the run lets in now, of what is normal. */
export function QueuesPanel({ run: { queues } }: { readonly run: Run }) {
  return (
    <Panel title={text.title} aside={<Text size="sm">{count(queues.length)}</Text>} flush>
      <DataTable label={text.label} columns={COLUMNS} rows={queues} rowKey={({ namespace, queue }) => `${namespace}\0${queue}`} />
    </Panel>
  );
}

function intakeText({ percent, normalPerSecond }: RunQueue): string {
  if (percent === null) return text.all;
  return normalPerSecond === null ? text.shareAlone(String(percent)) : text.share(String(percent), rate((normalPerSecond * percent) / 100));
}

/** Few a second still have to be told apart. */
const rate = (perSecond: number): string => (perSecond >= 10 ? count(perSecond) : String(Number(perSecond.toPrecision(2))));
