import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, read } from '../../api/client';
import type { components } from '../../api/generated/schema';
import type { JobRef } from '../../routes/paths';

export type { Verdict } from '../../kit/verdict-words';

export type JobDetail = components['schemas']['JobDetail'];
export type AttemptView = JobDetail['attempts'][number];
export type DecisionView = JobDetail['decisions'][number];
export type TimelineEvent = components['schemas']['TimelineEvent'];
export type Invalidation = components['schemas']['InvalidationView'];
export type Levels = components['schemas']['LevelsView']['levels'];

const EVENTS_A_PAGE = 200;

const ofJob = (job: JobRef) => ({ changes: [{ what: 'job', ...job }] }) as const;

export const jobQuery = (job: JobRef) =>
  queryOptions({
    queryKey: ['job', job],
    queryFn: ({ signal }) => read(api.GET('/v1/jobs/one', { params: { query: { ...job } }, signal })),
    meta: ofJob(job),
  });

/** The job's stream from its beginning, a page at a time. */
export const eventsQuery = (job: JobRef) =>
  infiniteQueryOptions({
    queryKey: ['job-events', job],
    queryFn: ({ signal, pageParam }) =>
      read(api.GET('/v1/jobs/one/events', { params: { query: { ...job, limit: EVENTS_A_PAGE, ...(pageParam !== null && { next: pageParam }) } }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    meta: ofJob(job),
  });

export const verdictsQuery = ({ namespace, queue, id }: JobRef) =>
  queryOptions({
    queryKey: ['job-verdicts', namespace, queue, id],
    queryFn: ({ signal }) => read(api.GET('/v1/verdicts', { params: { query: { namespace, queue, id, limit: 50 } }, signal })),
    meta: { changes: [{ what: 'job', namespace, queue, id }, { what: 'verdict', namespace, queue }] },
  });

export const invalidationsQuery = ({ namespace, queue, id }: JobRef) =>
  queryOptions({
    queryKey: ['job-invalidations', namespace, queue, id],
    queryFn: ({ signal }) => read(api.GET('/v1/invalidations', { params: { query: { namespace, queue, id, limit: 50 } }, signal })),
    meta: ofJob({ namespace, queue, id }),
  });

/** What its queue lets Jobwarden do: without it "is then decided" would promise too much. */
export const levelsQuery = ({ namespace, queue }: JobRef) =>
  queryOptions({
    queryKey: ['levels', namespace, queue],
    queryFn: ({ signal }) => read(api.GET('/v1/queue/levels', { params: { query: { namespace, queue } }, signal })),
    meta: { changes: [{ what: 'queue', namespace, queue }] },
  });
