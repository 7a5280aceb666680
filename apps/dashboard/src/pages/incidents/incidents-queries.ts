import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, read } from '../../api/client';
import type { components } from '../../api/generated/schema';
import type { Filters } from './filters';
import { standing } from './refused-now';

export type ListedIncident = components['schemas']['ListedIncident'];
export type Signal = components['schemas']['SignalView'];
export type Window = components['schemas']['MaintenanceView'];
export type FollowUp = components['schemas']['FollowUpView'];

const PAGE = 50;
const QUEUES = 1_000;

const within = (namespace: string | null) => (namespace === null ? {} : { namespace });

const after = (next: string | null) => (next === null ? {} : { next });
/** Pages that the API gives out one after the other. */
const inPages = { initialPageParam: null as string | null, getNextPageParam: ({ next }: { readonly next: string | null }) => next };

const chosen = (namespace: string | null, { queue, cause }: Filters) => ({ ...within(namespace), ...(queue !== undefined && { queue }), ...(cause !== undefined && { cause }) });

/** Those that are over, a page at an address of its own. */
export const pastQuery = (namespace: string | null, filters: Filters, next: string | null) =>
  queryOptions({
    queryKey: ['incidents', 'past', namespace, filters, next],
    queryFn: ({ signal }) => read(api.GET('/v1/incidents', { params: { query: { ...chosen(namespace, filters), status: 'resolved', limit: PAGE, ...after(next) } }, signal })),
    placeholderData: keepPreviousData,
    meta: { changes: [{ what: 'incident' }] },
  });

export const openQuery = (namespace: string | null, filters: Filters) =>
  infiniteQueryOptions({
    queryKey: ['incidents', 'open', namespace, filters],
    queryFn: ({ signal, pageParam }) => read(api.GET('/v1/incidents', { params: { query: { ...chosen(namespace, filters), status: 'open', limit: PAGE, ...after(pageParam) } }, signal })),
    ...inPages,
    placeholderData: keepPreviousData,
    meta: { changes: [{ what: 'incident' }] },
  });

export const signalsQuery = (namespace: string | null, state: Signals) =>
  infiniteQueryOptions({
    queryKey: ['signals', namespace, state],
    queryFn: ({ signal, pageParam }) => read(api.GET('/v1/signals', { params: { query: { ...within(namespace), state, limit: PAGE, ...after(pageParam) } }, signal })),
    ...inPages,
    meta: { changes: [{ what: 'signal' }, { what: 'incident' }] },
  });
export type Signals = 'open' | 'standing' | 'settled';

export const maintenanceQuery = (namespace: string | null) =>
  infiniteQueryOptions({
    queryKey: ['maintenance', namespace],
    queryFn: ({ signal, pageParam }) => read(api.GET('/v1/maintenance', { params: { query: { ...within(namespace), limit: PAGE, ...after(pageParam) } }, signal })),
    ...inPages,
    meta: { changes: [{ what: 'maintenance' }] },
  });

/** `incident`: of that one alone; null: of all. */
export const followUpsQuery = (namespace: string | null, incident: string | null, done: boolean) =>
  infiniteQueryOptions({
    queryKey: ['follow-ups', namespace, incident, done],
    queryFn: ({ signal, pageParam }) =>
      read(api.GET('/v1/follow-ups', { params: { query: { ...within(namespace), ...(incident !== null && { incident }), done, limit: PAGE, ...after(pageParam) } }, signal })),
    ...inPages,
    meta: { changes: [{ what: 'incident' }] },
  });

/** Each release that is refused now, once; with the workers of all queues that it was seen in. */
export const refusedQuery = (namespace: string) =>
  queryOptions({
    queryKey: ['revisions', namespace],
    queryFn: async ({ signal }) => standing((await read(api.GET('/v1/revisions', { params: { query: { namespace } }, signal }))).items),
    // That an idle worker has fallen silent is an event of nobody.
    refetchInterval: 60_000,
    meta: { changes: [{ what: 'revision' }, { what: 'queue', namespace }], changesEveryMs: 3_000 },
  });

export const refusalsQuery = (namespace: string) =>
  infiniteQueryOptions({
    queryKey: ['refusals', namespace],
    queryFn: ({ signal, pageParam }) => read(api.GET('/v1/revisions/refusals', { params: { query: { namespace, limit: PAGE, ...after(pageParam) } }, signal })),
    ...inPages,
    meta: { changes: [{ what: 'revision' }] },
  });

/** To choose from. `more`: there are others, which have to be named elsewhere. */
export const queuesQuery = (namespace: string) =>
  queryOptions({
    queryKey: ['incident-queue-names', namespace],
    queryFn: async ({ signal }) => {
      const { items, next } = await read(api.GET('/v1/queues', { params: { query: { namespace, limit: QUEUES } }, signal }));
      return { names: items.map(({ queue }) => queue), more: next !== null };
    },
    staleTime: 60_000,
  });
