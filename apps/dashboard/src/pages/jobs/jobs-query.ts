import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, read } from '../../api/client';
import type { components } from '../../api/generated/schema';
import { common } from '../../text/common';
import type { jobs } from '../../text/jobs';

export type JobSummary = components['schemas']['JobSummary'];
export type Status = JobSummary['status'];

export interface Filters {
  readonly id?: string;
  readonly queue?: string;
  readonly status?: Status;
  readonly kind?: string;
  readonly worker?: string;
  /** RFC 3339. */
  readonly since?: string;
}

const NAMES = ['id', 'queue', 'status', 'kind', 'worker', 'since'] as const;

/** Filters as the address has them. A status or an instant that is none is left out: a link must not lead to an error. */
export function filtersOf(query: URLSearchParams): Filters {
  const found = NAMES.flatMap((name): readonly (readonly [string, string])[] => {
    const value = query.get(name);
    if (value === null || value === '') return [];
    if (name === 'status' && !(value in common.status)) return [];
    if (name === 'since' && Number.isNaN(Date.parse(value))) return [];
    return [[name, name === 'since' ? new Date(value).toISOString() : value]];
  });
  return Object.fromEntries(found);
}

export const isFiltered = (filters: Filters): boolean => Object.keys(filters).length > 0;

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

export type Within = keyof typeof jobs.filter.within;

const WITHIN_MS: Readonly<Record<Within, number>> = { '15m': 900_000, '1h': 3_600_000, '24h': 86_400_000, '7d': 7 * 86_400_000 };
export const WITHIN = Object.keys(WITHIN_MS) as readonly Within[];

/** From now back, as an instant: a link then shows to others what its sender saw. To the minute, so that it can be read. */
export function sinceOf(within: Within, nowMs: number): string {
  const ms = nowMs - WITHIN_MS[within];
  return new Date(ms - (ms % 60_000)).toISOString();
}
