import { Anchor, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api, read } from '../../api/client';
import { ActionButton } from '../../kit/ActionButton';
import type { Action } from '../../kit/ActionDialog';
import { DataTable, type Column } from '../../kit/DataTable';
import { Empty } from '../../kit/Empty';
import { Name } from '../../kit/Name';
import { PagedView } from '../../kit/PagedView';
import { Panel } from '../../kit/Panel';
import { QueryView } from '../../kit/QueryView';
import { When } from '../../kit/When';
import { pathTo } from '../../routes/paths';
import { count, visible } from '../../text/format';
import { incidents } from '../../text/incidents';
import { refusalsQuery, refusedQuery } from './incidents-queries';
import type { Refusal, Standing } from './refused-now';

const { refused: text } = incidents;

const NOW: readonly Column<Standing>[] = [
  { key: 'revision', title: text.columns.revision, cell: ({ refusal }) => <Name text={refusal.revision} /> },
  { key: 'act', title: text.columns.act, action: true, cell: (standing) => <ActionButton action={readmit(standing)} /> },
  { key: 'queue', title: text.columns.queue, cell: ({ refusal }) => queueOf(refusal) },
  { key: 'why', title: text.columns.why, cell: ({ refusal }) => <Why refusal={refusal} /> },
  { key: 'by', title: text.columns.by, cell: ({ refusal }) => visible(refusal.by) },
  { key: 'since', title: text.columns.since, cell: ({ refusal }) => <When at={refusal.at} /> },
  { key: 'workers', title: text.columns.workers, number: true, cell: ({ workers }) => count(workers) },
  { key: 'running', title: text.columns.running, number: true, cell: ({ running }) => count(running) },
];

const BEFORE: readonly Column<Refusal>[] = [
  { key: 'revision', title: text.columns.revision, cell: ({ revision }) => <Name text={revision} /> },
  { key: 'queue', title: text.columns.queue, cell: queueOf },
  { key: 'why', title: text.columns.why, cell: (refusal) => <Why refusal={refusal} /> },
  { key: 'by', title: text.columns.by, cell: ({ by }) => visible(by) },
  { key: 'since', title: text.columns.since, cell: ({ at }) => <When at={at} /> },
];

/** Releases that get no work, and the way back. */
export function Refused({ namespace }: { readonly namespace: string }) {
  const now = useQuery(refusedQuery(namespace));
  const before = useInfiniteQuery(refusalsQuery(namespace));
  return (
    <Stack gap="lg">
      <Text size="sm">{text.lead(visible(namespace))}</Text>
      <Panel title={text.title} flush>
        <QueryView query={now} lines={2}>
          {(items) => (items.length === 0 ? <Empty title={text.none} text={text.noneText} /> : <DataTable label={text.title} columns={NOW} rows={items} rowKey={({ refusal }) => refusal.id} />)}
        </QueryView>
      </Panel>
      <Panel title={text.historyTitle} flush>
        <PagedView query={before} lines={2} empty={<Empty title={text.historyNone} />}>
          {(items) => <History refusals={items.filter(({ lifted }) => lifted !== null)} />}
        </PagedView>
      </Panel>
    </Stack>
  );
}

function History({ refusals }: { readonly refusals: readonly Refusal[] }) {
  return refusals.length === 0 ? <Empty title={text.historyNone} /> : <DataTable label={text.historyTitle} columns={BEFORE} rows={refusals} rowKey={({ id }) => id} />;
}

function queueOf({ queue }: Refusal) {
  return queue === null ? text.allQueues : <Name text={queue} />;
}

/** What was said, what was said when it was let in again, and the incident that it was of. */
function Why({ refusal: { reason, lifted, incident } }: { readonly refusal: Refusal }) {
  return (
    <>
      {`${visible(reason)}${lifted === null ? '' : `; ${text.lifted(visible(lifted.by), visible(lifted.reason))}`}`}
      {incident !== undefined && (
        <div>
          <Anchor component={Link} to={pathTo.incident(incident)} size="sm">
            {text.ofIncident(incident)}
          </Anchor>
        </div>
      )}
    </>
  );
}

/** Of just the scope that was refused: the API lets nothing narrower in. */
const readmit = ({ refusal: { namespace, queue, revision }, workers }: Standing): Action<undefined, unknown> => ({
  label: text.readmit,
  says: () => text.readmitSays(visible(revision), queue === null ? text.everywhere(visible(namespace)) : text.inQueue(visible(queue)), count(workers)),
  reason: 'needed',
  run: ({ reason }) => read(api.POST('/v1/revisions/readmit', { body: { namespace, revision, reason, ...(queue !== null && { queue }) } })),
});
