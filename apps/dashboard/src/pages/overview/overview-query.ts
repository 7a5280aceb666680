import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, read } from '../../api/client';
import type { components } from '../../api/generated/schema';
import type { ChangeFilter } from '../../live/change';

export type Overview = components['schemas']['Overview'];
export type OverviewQueue = components['schemas']['OverviewQueue'];

const CHANGES = ['queue', 'incident', 'run', 'installation', 'dead-letters'] as const;

/** Everything at a glance; null: of all namespaces that the token sees. */
export const overviewQuery = (namespace: string | null) =>
  queryOptions({
    queryKey: ['overview', namespace],
    queryFn: ({ signal }) => read(api.GET('/v1/overview', { params: { query: namespace === null ? {} : { namespace } }, signal })),
    placeholderData: keepPreviousData,
    // Ages and lags grow while nothing happens.
    refetchInterval: 15_000,
    meta: {
      changes: CHANGES.map((what): ChangeFilter => ({ what, ...(namespace !== null && what !== 'run' && what !== 'installation' && { namespace }) })),
      changesEveryMs: 2_000,
    },
  });
