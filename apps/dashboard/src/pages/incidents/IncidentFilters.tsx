import { Button, Group, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNamespace } from '../../routes/namespace';
import { usePageQuery } from '../../routes/page-query';
import { visible } from '../../text/format';
import { incidents } from '../../text/incidents';
import { incidentWords } from '../../text/incident-words';
import classes from './IncidentRows.module.css';
import { CAUSES, isFiltered, type Filters } from './filters';
import { queuesQuery } from './incidents-queries';

const { filter: text } = incidents;

/** All of them live in the address. */
export function IncidentFilters({ filters }: { readonly filters: Filters }) {
  const [, change] = usePageQuery();
  const queues = useQuery(queuesQuery(useNamespace()));
  const { names, more } = queues.data ?? { names: [], more: false };
  const choices = filters.queue === undefined || names.includes(filters.queue) ? names : [...names, filters.queue];
  const set = (name: string) => (event: React.ChangeEvent<HTMLSelectElement>) => change({ [name]: event.currentTarget.value, next: null });
  return (
    <search aria-label={text.label}>
      <Group align="flex-end" gap="sm" className={classes.filters ?? ''}>
        <NativeSelect
          size="xs"
          label={text.state}
          value={filters.state ?? ''}
          data={[{ value: '', label: text.any }, { value: 'open', label: text.open }, { value: 'resolved', label: text.resolved }]}
          onChange={set('state')}
        />
        <NativeSelect
          size="xs"
          maw="20rem"
          label={text.queue}
          description={more ? incidents.moreQueues : undefined}
          value={filters.queue ?? ''}
          data={[{ value: '', label: text.allQueues }, ...choices.map((name) => ({ value: name, label: visible(name) }))]}
          onChange={set('queue')}
        />
        <NativeSelect
          size="xs"
          label={text.cause}
          value={filters.cause ?? ''}
          data={[{ value: '', label: text.any }, ...CAUSES.map((word) => ({ value: word, label: incidentWords.cause[word] }))]}
          onChange={set('cause')}
        />
        {isFiltered(filters) && (
          <Button size="xs" variant="default" onClick={() => change({ state: null, queue: null, cause: null, next: null })}>
            {text.clear}
          </Button>
        )}
      </Group>
    </search>
  );
}
