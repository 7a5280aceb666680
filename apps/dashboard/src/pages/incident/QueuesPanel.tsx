import { Anchor, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
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

/** What the API shows at most. */
const MOST = 1_000;
const FIRST = 10;

/** What each queue of the run lets in now, of what is normal. */
export function QueuesPanel({ run: { queues } }: { readonly run: Run }) {
  const [all, setAll] = useState(false);
  const shown = all ? queues : queues.slice(0, FIRST);
  return (
    <Panel title={text.title} aside={<Text size="sm">{count(queues.length)}</Text>} flush>
      <DataTable label={text.label} columns={COLUMNS} rows={shown} rowKey={({ namespace, queue }) => `${namespace}\0${queue}`} />
      {shown.length < queues.length && (
        <Group justify="center" p="sm">
          <Button size="xs" variant="default" onClick={() => setAll(true)}>
            {text.showAll(count(queues.length))}
          </Button>
        </Group>
      )}
      {queues.length >= MOST && (
        <Text size="sm" c="dimmed" p="sm">
          {text.most}
        </Text>
      )}
    </Panel>
  );
}

function intakeText({ percent, normalPerSecond }: RunQueue): string {
  if (percent === null) return text.all;
  return normalPerSecond === null ? text.shareAlone(String(percent)) : text.share(String(percent), rate((normalPerSecond * percent) / 100));
}

/** Few a second still have to be told apart. */
const rate = (perSecond: number): string => (perSecond >= 10 ? count(perSecond) : String(Number(perSecond.toPrecision(2))));
