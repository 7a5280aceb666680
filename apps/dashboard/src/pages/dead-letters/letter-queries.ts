import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, read } from '../../api/client';
import type { components } from '../../api/generated/schema';
import type { ChangeFilter } from '../../live/change';
import type { JobRef } from '../../routes/paths';

export type Letter = components['schemas']['DeadLetterView'];
export type Pattern = components['schemas']['PatternView'];
export type PatternDetail = components['schemas']['PatternDetail'];
export type RedriveRun = components['schemas']['RedriveRunView'];

export interface Where {
  readonly namespace: string;
  readonly queue?: string;
}

export const SINCE = ['24h', '7d', '30d', 'review'] as const;
export type Since = (typeof SINCE)[number];

const PAGE = 50;

const letters = ({ namespace, queue }: Where): { readonly changes: readonly ChangeFilter[] } => ({
  changes: [{ what: 'dead-letters', namespace, ...(queue !== undefined && { queue }) }],
});

export interface PatternChoice {
  readonly since: Since;
  /** Only what is new, or came back. */
  readonly marked: boolean;
  readonly next: string | null;
}

export const patternsQuery = (where: Where, { since, marked, next }: PatternChoice) =>
  queryOptions({
    queryKey: ['patterns', where, since, marked, next],
    queryFn: ({ signal }) => read(api.GET('/v1/dead-letters/patterns', { params: { query: { ...where, since, limit: PAGE, ...(marked && { marked }), ...(next !== null && { next }) } }, signal })),
    placeholderData: keepPreviousData,
    meta: letters(where),
  });

export const patternQuery = (id: string) =>
  queryOptions({
    queryKey: ['pattern', id],
    queryFn: ({ signal }) => read(api.GET('/v1/dead-letters/patterns/{id}', { params: { path: { id } }, signal })),
    meta: { changes: [{ what: 'dead-letters' }] },
  });

export const patternLettersQuery = (id: string, next: string | null) =>
  queryOptions({
    queryKey: ['pattern-letters', id, next],
    queryFn: ({ signal }) => read(api.GET('/v1/dead-letters/patterns/{id}/letters', { params: { path: { id }, query: { limit: PAGE, ...(next !== null && { next }) } }, signal })),
    placeholderData: keepPreviousData,
    meta: { changes: [{ what: 'dead-letters' }] },
  });

export const lettersQuery = (where: Where & { readonly kind?: string }, next: string | null) =>
  queryOptions({
    queryKey: ['letters', where, next],
    queryFn: ({ signal }) => read(api.GET('/v1/dead-letters', { params: { query: { ...where, limit: PAGE, ...(next !== null && { next }) } }, signal })),
    placeholderData: keepPreviousData,
    meta: letters(where),
  });

export const letterQuery = (job: JobRef) =>
  queryOptions({
    queryKey: ['letter', job],
    queryFn: ({ signal }) => read(api.GET('/v1/dead-letters/one', { params: { query: { ...job } }, signal })),
    meta: { changes: [{ what: 'job', ...job }, { what: 'dead-letters', namespace: job.namespace, queue: job.queue }] },
  });

const FATES: readonly string[] = ['redriven', 'resolved-by-hand', 'discarded'];

/** What somebody did with one that is no dead letter any more; null: nobody knows. */
export const fateQuery = (job: JobRef) =>
  queryOptions({
    queryKey: ['letter-fate', job],
    queryFn: async ({ signal }) => (await read(api.GET('/v1/jobs/one', { params: { query: { ...job } }, signal }))).decisions.findLast(({ kind }) => FATES.includes(kind)) ?? null,
    meta: { changes: [{ what: 'job', ...job }] },
  });

export const queuesQuery = (namespace: string) =>
  queryOptions({
    queryKey: ['queue-names', namespace],
    queryFn: async ({ signal }) => (await read(api.GET('/v1/queues', { params: { query: { namespace, limit: 1_000 } }, signal }))).items.map(({ queue }) => queue),
    meta: { changes: [{ what: 'queue', namespace }], changesEveryMs: 10_000 },
  });

export const redrivesQuery = (where: Where, next: string | null) =>
  queryOptions({
    queryKey: ['redrives', where, next],
    queryFn: ({ signal }) => read(api.GET('/v1/dead-letters/redrives', { params: { query: { ...where, limit: PAGE, ...(next !== null && { next }) } }, signal })),
    placeholderData: keepPreviousData,
    meta: { changes: [{ what: 'redrive' }] },
  });

export const redriveQuery = (id: string) =>
  queryOptions({
    queryKey: ['redrive', id],
    queryFn: ({ signal }) => read(api.GET('/v1/dead-letters/redrives/{id}', { params: { path: { id } }, signal })),
    meta: { changes: [{ what: 'redrive' }] },
  });
