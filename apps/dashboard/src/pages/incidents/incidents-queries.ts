import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, read } from '../../api/client';
import type { components } from '../../api/generated/schema';
import type { Filters } from './filters';
import { standing } from './refused-now';

export type Signal = components['schemas']['SignalView'];
export type Window = components['schemas']['MaintenanceView'];
export type FollowUp = components['schemas']['FollowUpView'];

const PAGE = 50;
const MOST_OPEN = 200;

const within = (namespace: string | null) => (namespace === null ? {} : { namespace });

export const incidentsQuery = (namespace: string | null, { queue, cause }: Filters, status: 'open' | 'resolved', next: string | null) =>
  queryOptions({
    queryKey: ['incidents', namespace, queue, cause, status, next],
    queryFn: ({ signal }) =>
      read(
        api.GET('/v1/incidents', {
          params: { query: { ...within(namespace), status, limit: status === 'open' ? MOST_OPEN : PAGE, ...(queue !== undefined && { queue }), ...(cause !== undefined && { cause }), ...(next !== null && { next }) } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    meta: { changes: [{ what: 'incident' }] },
  });

export const signalsQuery = (namespace: string | null, state: Signals) =>
  queryOptions({
    queryKey: ['signals', namespace, state],
    queryFn: ({ signal }) => read(api.GET('/v1/signals', { params: { query: { ...within(namespace), state, limit: PAGE } }, signal })),
    // Nothing tells of signals that lead to nothing.
    refetchInterval: 15_000,
    meta: { changes: [{ what: 'incident' }] },
  });
export type Signals = 'open' | 'standing' | 'settled';

export const maintenanceQuery = (namespace: string | null) =>
  queryOptions({
    queryKey: ['maintenance', namespace],
    queryFn: ({ signal }) => read(api.GET('/v1/maintenance', { params: { query: { ...within(namespace), limit: PAGE } }, signal })),
    refetchInterval: 30_000,
  });

export const followUpsQuery = (namespace: string | null, done: boolean) =>
  queryOptions({
    queryKey: ['follow-ups', namespace, done],
    queryFn: ({ signal }) => read(api.GET('/v1/follow-ups', { params: { query: { ...within(namespace), done, limit: 200 } }, signal })),
    meta: { changes: [{ what: 'incident' }] },
  });

/** Each release that is refused now, once; with the workers of all queues that it was seen in. */
export const refusedQuery = (namespace: string) =>
  queryOptions({
    queryKey: ['revisions', namespace],
    queryFn: async ({ signal }) => standing((await read(api.GET('/v1/revisions', { params: { query: { namespace } }, signal }))).items),
    refetchInterval: 15_000,
    meta: { changes: [{ what: 'incident' }, { what: 'queue', namespace }] },
  });

export const refusalsQuery = (namespace: string) =>
  queryOptions({
    queryKey: ['refusals', namespace],
    queryFn: async ({ signal }) => (await read(api.GET('/v1/revisions/refusals', { params: { query: { namespace, limit: PAGE } }, signal }))).items,
    meta: { changes: [{ what: 'incident' }] },
  });

export const queuesQuery = (namespace: string) =>
  queryOptions({
    queryKey: ['queue-names', namespace],
    queryFn: async ({ signal }) => (await read(api.GET('/v1/queues', { params: { query: { namespace, limit: 1_000 } }, signal }))).items.map(({ queue }) => queue),
    staleTime: 60_000,
  });
