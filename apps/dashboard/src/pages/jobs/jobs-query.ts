import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, read } from '../../api/client';
import type { Filters } from './filters';

/** A page of jobs. */
export const jobsQuery = (namespace: string, filters: Filters, next: string | null) =>
  queryOptions({
    queryKey: ['jobs', namespace, filters, next],
    queryFn: ({ signal }) => read(api.GET('/v1/jobs', { params: { query: { namespace, ...filters, limit: PAGE, ...(next !== null && { next }) } }, signal })),
    placeholderData: keepPreviousData,
    meta: {
      changes: [{ what: 'job', namespace, ...(filters.queue !== undefined && { queue: filters.queue }), ...(filters.id !== undefined && { id: filters.id }) }],
    },
  });

const PAGE = 100;

/** Names of queues, to choose from while one types. */
export const queueNamesQuery = (namespace: string) =>
  queryOptions({
    queryKey: ['queue-names', namespace],
    queryFn: async ({ signal }) => {
      const { items } = await read(api.GET('/v1/queues', { params: { query: { namespace, limit: 1_000 } }, signal }));
      return items.map(({ queue }) => queue);
    },
    staleTime: 60_000,
  });
