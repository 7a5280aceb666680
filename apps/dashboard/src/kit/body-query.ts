import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client';
import type { components } from '../api/generated/schema';
import { problemOf } from '../api/problem';
import type { JobRef } from '../routes/paths';

/** A body kept beside the log, or outside of it by its sender's own reference. */
export type BodyRef = NonNullable<components['schemas']['JobDetail']['payload']>;

/** The bytes as text. A body never changes under its hash, it can only be erased. */
export const bodyQuery = (job: JobRef, hash: string) =>
  queryOptions({
    queryKey: ['job-body', job, hash],
    queryFn: ({ signal }) => readText(api.GET('/v1/jobs/one/bodies/{hash}', { params: { path: { hash }, query: { ...job } }, parseAs: 'text', signal })),
    meta: { changes: [{ what: 'job', ...job }] },
    retry: false,
  });

async function readText(call: Promise<{ readonly data?: unknown; readonly error?: unknown; readonly response: Response }>): Promise<string> {
  const { data, error, response } = await call;
  if (!response.ok) throw problemOf(response.status, error);
  return String(data);
}
