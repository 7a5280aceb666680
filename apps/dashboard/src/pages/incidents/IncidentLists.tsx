import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'react-router';
import { Empty } from '../../kit/Empty';
import { Panel } from '../../kit/Panel';
import { QueryView } from '../../kit/QueryView';
import { usePageQuery } from '../../routes/page-query';
import { incidents } from '../../text/incidents';
import { filtersOf } from './filters';
import { IncidentFilters } from './IncidentFilters';
import { IncidentRows } from './IncidentRows';
import { incidentsQuery } from './incidents-queries';

const { list: text } = incidents;

/** The open ones first: somebody has to look at them. Then those that are over. */
export function IncidentLists({ namespace }: { readonly namespace: string | null }) {
  const [query] = usePageQuery();
  const filters = filtersOf(query);
  const next = query.get('next');
  const open = useQuery({ ...incidentsQuery(namespace, filters, 'open', null), enabled: filters.state !== 'resolved' });
  const past = useQuery({ ...incidentsQuery(namespace, filters, 'resolved', next), enabled: filters.state !== 'open' });
  const none = filters.queue !== undefined || filters.cause !== undefined ? { title: text.noneMatch } : null;
  return (
    <Stack gap="lg">
      <IncidentFilters filters={filters} />
      {filters.state !== 'resolved' && (
        <Panel title={text.open} flush>
          <QueryView query={open} lines={2}>
            {({ items }) => (items.length === 0 ? <Empty {...(none ?? { title: text.noneOpen, text: text.noneOpenText })} /> : <IncidentRows label={text.open} incidents={items} />)}
          </QueryView>
        </Panel>
      )}
      {filters.state !== 'open' && (
        <Panel title={text.past} flush>
          <QueryView query={past} lines={4}>
            {({ items, next: older }) => (
              <div aria-busy={past.isPlaceholderData}>
                {items.length === 0 ? <Empty {...(none ?? { title: text.nonePast, text: text.nonePastText })} /> : <IncidentRows label={text.past} incidents={items} />}
                <Turner at={next} next={older} />
              </div>
            )}
          </QueryView>
        </Panel>
      )}
    </Stack>
  );
}

function Turner({ at, next }: { readonly at: string | null; readonly next: string | null }) {
  const { pathname, search } = useLocation();
  if (at === null && next === null) return null;
  const to = (cursor: string | null): string => {
    const query = new URLSearchParams(search);
    if (cursor === null) query.delete('next');
    else query.set('next', cursor);
    return `${pathname}?${query.toString()}`;
  };
  return (
    <Group justify="center" p="sm" component="nav" aria-label={text.pages}>
      {at !== null && (
        <Button component={Link} to={to(null)} size="xs" variant="default">
          {text.first}
        </Button>
      )}
      {next !== null && (
        <Button component={Link} to={to(next)} size="xs" variant="default">
          {text.next}
        </Button>
      )}
    </Group>
  );
}
