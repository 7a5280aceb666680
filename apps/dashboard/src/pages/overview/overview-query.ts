import { queryOptions } from '@tanstack/react-query';
import { api, read } from '../../api/client';
import type { components } from '../../api/generated/schema';

export type QueueView = components['schemas']['QueueView'];

/** Queues of a namespace, by name. */
export const queuesQuery = (namespace: string) =>
  queryOptions({
    queryKey: ['queues', namespace],
    queryFn: ({ signal }) => read(api.GET('/v1/queues', { params: { query: { namespace, limit: 1_000 } }, signal })),
    // Read again when the stream tells of a queue of this namespace.
    meta: { changes: [{ what: 'queue', namespace }] },
  });
