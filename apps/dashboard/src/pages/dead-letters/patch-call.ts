import { api, read } from '../../api/client';
import type { components } from '../../api/generated/schema';
import type { JobRef } from '../../routes/paths';
import { patchText, type PatchOp } from './json-patch';

export type PatchAnswer = components['schemas']['PatchAnswer'];
type PatchCall = components['schemas']['PatchCall'];

/** Sent as text of our own: values must arrive as they are spelled, and JSON.stringify would spell them anew. */
async function call({ namespace, queue, id }: JobRef, ops: readonly PatchOp[], rest: Omit<PatchCall, 'patch'>, signal?: AbortSignal): Promise<PatchAnswer> {
  const members = JSON.stringify(rest).slice(1);
  return await read(
    api.POST('/v1/jobs/one/patch', {
      params: { query: { namespace, queue, id } },
      body: { ...rest, patch: [] },
      bodySerializer: () => `{"patch":${patchText(ops)},${members}`,
      ...(signal !== undefined && { signal }),
    }),
  );
}

export const previewPatch = (job: JobRef, ops: readonly PatchOp[], signal: AbortSignal): Promise<PatchAnswer> => call(job, ops, { preview: true, force: false }, signal);

/** `preview`: what was shown is what is done, or nothing is. */
export function applyPatch(job: JobRef, ops: readonly PatchOp[], { reason, preview, force }: { readonly reason: string; readonly preview: PatchAnswer | undefined; readonly force: boolean }): Promise<PatchAnswer> {
  const after = preview?.after;
  return call(job, ops, { preview: false, reason, force, ...(after !== undefined && 'hash' in after && { result: after.hash }) });
}
