import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DataTable, type Column } from '../../kit/DataTable';
import { Name } from '../../kit/Name';
import { Panel } from '../../kit/Panel';
import { QueryView } from '../../kit/QueryView';
import { StatusText, type Shape, type Tone } from '../../kit/StatusText';
import { common } from '../../text/common';
import { count, visible } from '../../text/format';
import { incident as words } from '../../text/incident';
import { deliveriesQuery, type Delivery, type Incident } from './incident-queries';
import classes from './DeliveriesPanel.module.css';
import { placesOf, type Place } from './told-of';

const { deliveries: text, log } = words;

const LOOKS: Readonly<Record<Delivery['state'], readonly [Tone, Shape]>> = {
  delivered: ['ok', 'dot'],
  refused: ['warn', 'triangle'],
  parked: ['bad', 'cross'],
  waiting: ['calm', 'ring'],
  unsent: ['calm', 'ring'],
};

const COLUMNS: readonly Column<Place>[] = [
  {
    key: 'where',
    title: text.columns.where,
    cell: ({ host, format }) => (
      <>
        {host === null ? text.hostSecret : <Name text={host} />}
        <Text size="xs" c="dimmed">
          {visible(format)}
        </Text>
      </>
    ),
  },
  { key: 'page', title: text.columns.paged, cell: ({ page }) => (page === null ? common.none : <State of={page} />) },
  {
    key: 'last',
    title: text.columns.last,
    cell: ({ last, pending }) => (
      <>
        {Object.hasOwn(log.type, last.type) ? log.type[last.type as keyof typeof log.type] : visible(last.type)}: <State of={last} />
        {pending.length > 0 && (
          <Text size="xs" c="dimmed">
            {text.pending(count(pending.length))}
          </Text>
        )}
      </>
    ),
  },
];

/** Whether those who should know of it do, and who has taken it. */
export function DeliveriesPanel({ incident: { incidentId, steps } }: { readonly incident: Incident }) {
  const query = useQuery(deliveriesQuery(incidentId));
  const taken = steps.findLast(({ type }) => type === 'approved');
  return (
    <Panel title={text.title} flush>
      <QueryView query={query} lines={2}>
        {(items) =>
          items.length === 0 ? (
            <p className={classes.taken}>{`${text.none}. ${text.noneText}`}</p>
          ) : (
            <>
              <p className={classes.taken}>{taken === undefined ? text.notTaken : text.takenBy(visible(taken.by))}</p>
              <DataTable label={text.label} columns={COLUMNS} rows={placesOf(items)} rowKey={({ host, format }) => `${host ?? ''}\0${format}`} />
            </>
          )
        }
      </QueryView>
    </Panel>
  );
}

function State({ of: { state, tries, lastError } }: { readonly of: Delivery }) {
  const [tone, shape] = LOOKS[state];
  return (
    <>
      <StatusText text={text.state[state]} tone={tone} shape={shape} />
      {state !== 'delivered' && tries > 0 && (
        <Text size="xs" c="dimmed">
          {`${text.tries(count(tries))}${lastError === null ? '' : `: ${visible(lastError)}`}`}
        </Text>
      )}
    </>
  );
}
