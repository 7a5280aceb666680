import { Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api, read } from '../../api/client';
import { ActionButton } from '../../kit/ActionButton';
import type { Action } from '../../kit/ActionDialog';
import { DataTable, type Column } from '../../kit/DataTable';
import { Empty } from '../../kit/Empty';
import { Panel } from '../../kit/Panel';
import { PagedView } from '../../kit/PagedView';
import { StatusText, type Shape, type Tone } from '../../kit/StatusText';
import { useNow, When } from '../../kit/When';
import { visible } from '../../text/format';
import { incidents } from '../../text/incidents';
import { BeginMaintenance } from './BeginMaintenance';
import { maintenanceQuery, type Window } from './incidents-queries';
import { windowState, type WindowState } from './window-state';

const { maintenance: text } = incidents;

const LOOKS: Readonly<Record<WindowState, readonly [Tone, Shape]>> = { now: ['warn', 'pause'], ahead: ['busy', 'ring'], over: ['calm', 'ring'], ended: ['calm', 'cross'] };

const COLUMNS: readonly Column<Window>[] = [
  { key: 'state', title: text.columns.state, cell: (window) => <State window={window} /> },
  { key: 'covers', title: text.columns.covers, cell: covers },
  { key: 'until', title: text.columns.until, cell: ({ until, endedAt }) => <When at={endedAt ?? until} /> },
  { key: 'from', title: text.columns.from, cell: ({ from }) => <When at={from} /> },
  { key: 'reason', title: text.columns.reason, cell: ({ reason }) => visible(reason) },
  { key: 'by', title: text.columns.by, cell: ({ by }) => visible(by) },
  { key: 'act', title: text.columns.act, action: true, cell: (window) => <End window={window} /> },
];

/** Times in which nobody is to be paged. `named`: null is all namespaces. */
export function Maintenance({ named, namespace }: { readonly named: string | null; readonly namespace: string }) {
  const query = useInfiniteQuery(maintenanceQuery(named));
  return (
    <Stack gap="sm">
      <Text size="sm">{text.lead}</Text>
      <Panel title={text.title} aside={<BeginMaintenance namespace={namespace} />} flush>
        <PagedView query={query} lines={3} empty={<Empty title={text.none} text={text.noneText} />}>
          {(windows) => <DataTable label={text.title} columns={COLUMNS} rows={windows} rowKey={({ id }) => id} />}
        </PagedView>
      </Panel>
    </Stack>
  );
}

function State({ window }: { readonly window: Window }) {
  const state = windowState(window, useNow());
  const [tone, shape] = LOOKS[state];
  return <StatusText text={text.state[state]} tone={tone} shape={shape} />;
}

function covers({ namespace, queue, target }: Window): string {
  const parts = [
    queue === null ? null : text.covers.queue(visible(queue)),
    target === null ? null : text.covers.target(visible(target)),
    namespace === null ? null : text.covers.namespace(visible(namespace)),
  ].filter((part) => part !== null);
  return parts.length === 0 ? text.everywhere : parts.join(', ');
}

function End({ window }: { readonly window: Window }) {
  const state = windowState(window, useNow());
  if (state === 'over' || state === 'ended') return null;
  const action: Action<undefined, unknown> = {
    label: text.end,
    says: () => text.endSays(covers(window)),
    reason: 'none',
    run: () => read(api.DELETE('/v1/maintenance/{id}', { params: { path: { id: window.id } } })),
  };
  return <ActionButton action={action} />;
}
