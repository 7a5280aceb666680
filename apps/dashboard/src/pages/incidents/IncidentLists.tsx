import { Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Empty } from '../../kit/Empty';
import { PagedView } from '../../kit/PagedView';
import { PageTurner } from '../../kit/PageTurner';
import { Panel } from '../../kit/Panel';
import { QueryView } from '../../kit/QueryView';
import { usePageQuery } from '../../routes/page-query';
import { count } from '../../text/format';
import { incidents } from '../../text/incidents';
import { asksSomebody, urgentFirst } from './asks';
import { filtersOf, type Filters } from './filters';
import { IncidentFilters } from './IncidentFilters';
import { IncidentRows } from './IncidentRows';
import { openQuery, pastQuery } from './incidents-queries';

const { list: text } = incidents;

interface Props {
  readonly namespace: string | null;
  readonly filters: Filters;
}

/** The open ones first: somebody has to look at them. Then those that are over. */
export function IncidentLists({ namespace }: { readonly namespace: string | null }) {
  const [query] = usePageQuery();
  const filters = filtersOf(query);
  return (
    <Stack gap="lg">
      <IncidentFilters filters={filters} />
      {filters.state !== 'resolved' && <Open namespace={namespace} filters={filters} />}
      {filters.state !== 'open' && <Past namespace={namespace} filters={filters} />}
    </Stack>
  );
}

const noneMatches = ({ queue, cause }: Filters) => (queue !== undefined || cause !== undefined ? { title: text.noneMatch } : null);

function Open({ namespace, filters }: Props) {
  const query = useInfiniteQuery(openQuery(namespace, filters));
  const all = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const asking = all.filter(asksSomebody).length;
  return (
    <Panel title={text.open} flush aside={all.length > 0 && <Text size="sm">{asking === 0 ? text.asksNobody : text.asking(count(asking))}</Text>}>
      <PagedView query={query} lines={2} empty={<Empty {...(noneMatches(filters) ?? { title: text.noneOpen, text: text.noneOpenText })} />}>
        {(items) => <IncidentRows label={text.open} incidents={urgentFirst(items)} />}
      </PagedView>
    </Panel>
  );
}

function Past({ namespace, filters }: Props) {
  const [address] = usePageQuery();
  const next = address.get('next');
  const query = useQuery(pastQuery(namespace, filters, next));
  return (
    <Panel title={text.past} flush>
      <QueryView query={query} lines={4}>
        {({ items, next: older }) => (
          <div aria-busy={query.isPlaceholderData}>
            {items.length === 0 ? <Empty {...(noneMatches(filters) ?? { title: text.nonePast, text: text.nonePastText })} /> : <IncidentRows label={text.past} incidents={items} />}
            <PageTurner at={next} next={older} />
          </div>
        )}
      </QueryView>
    </Panel>
  );
}
