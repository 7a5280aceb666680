import { queryOptions } from '@tanstack/react-query';
import { api, read } from '../../api/client';
import type { components } from '../../api/generated/schema';
import type { Verdict } from '../../kit/verdict-words';

export type Run = components['schemas']['ReconciliationRun'];
export type RunRow = Run['rows'][number];
export type ShadowRow = components['schemas']['ShadowReportRow'];
export type VerdictWord = NonNullable<Verdict['verdict']>;

export interface Where {
  readonly namespace: string;
  /** Left out: all. */
  readonly queue?: string;
}

const MOST_SHOWN = 100;
/** As many as one approval can mean. */
const MOST_APPROVED = 1_000;

const told = ({ namespace, queue }: Where) => ({
  changes: [
    { what: 'verdict', namespace, ...(queue !== undefined && { queue }) },
    { what: 'run' },
  ],
}) as const;

export const standingQuery = (where: Where, state: 'proposed' | 'shown') =>
  queryOptions({
    queryKey: ['verdicts', where, state],
    queryFn: ({ signal }) => read(api.GET('/v1/verdicts', { params: { query: { ...where, state, limit: MOST_SHOWN } }, signal })),
    meta: told(where),
  });

export const runsQuery = (where: Where, verdict: VerdictWord | null, next: string | null, limit = 20) =>
  queryOptions({
    queryKey: ['runs', where, verdict, next, limit],
    queryFn: ({ signal }) => read(api.GET('/v1/reconciliations', { params: { query: { ...where, limit, ...(verdict !== null && { verdict }), ...(next !== null && { next }) } }, signal })),
    meta: told(where),
  });

/** What is due and held back, in whatever queue. */
export const heldQuery = (where: Where) =>
  queryOptions({
    queryKey: ['held', where],
    queryFn: ({ signal }) => read(api.GET('/v1/jobs', { params: { query: { ...where, held: true, limit: MOST_SHOWN } }, signal })),
    meta: { changes: [{ what: 'run' }, { what: 'queue', namespace: where.namespace }, { what: 'job', namespace: where.namespace, ...(where.queue !== undefined && { queue: where.queue }) }] },
  });

/** What was found stuck, and is on its way to its next attempt. */
export const underWayQuery = (where: Where) =>
  queryOptions({
    queryKey: ['under-way', where],
    queryFn: ({ signal }) => read(api.GET('/v1/jobs', { params: { query: { ...where, status: 'restart-requested', limit: MOST_SHOWN } }, signal })),
    meta: { changes: [{ what: 'run' }, { what: 'job', namespace: where.namespace, ...(where.queue !== undefined && { queue: where.queue }) }] },
  });

export const shadowQuery = (where: Where, since: string) =>
  queryOptions({
    queryKey: ['shadow', where, since],
    queryFn: ({ signal }) => read(api.GET('/v1/shadow-report', { params: { query: { ...where, since } }, signal })),
    meta: { changes: [{ what: 'verdict', namespace: where.namespace }, { what: 'queue', namespace: where.namespace }] },
  });

export const queueNamesQuery = (namespace: string) =>
  queryOptions({
    queryKey: ['queue-levels', namespace],
    queryFn: async ({ signal }) => (await read(api.GET('/v1/queues', { params: { query: { namespace, limit: 1_000 } }, signal }))).items.map(({ queue, levels }) => ({ queue, levels })),
    meta: { changes: [{ what: 'queue', namespace }] },
  });

/** What an approval of many would mean: so many, and nothing that is said later. */
export async function approvable(where: Where, state: 'proposed' | 'shown', signal: AbortSignal): Promise<{ readonly count: number; readonly until: string | null }> {
  const { items } = await read(api.GET('/v1/verdicts', { params: { query: { ...where, state, kind: 'would-have', limit: MOST_APPROVED } }, signal }));
  return { count: items.length, until: items.reduce<string | null>((latest, { at }) => (latest === null || at > latest ? at : latest), null) };
}
