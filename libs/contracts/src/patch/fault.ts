/** Why a patch was not applied. Stable and public. */
export const PATCH_FAULTS = [
  /** It is no JSON Patch: a member is missing, an operation unknown, a path no JSON Pointer. */
  'patch_invalid',
  /** More operations than are taken at once. */
  'patch_too_long',
  /** A path names what objects inherit. */
  'patch_path_refused',
  /** An operation does not fit the body: what it names is not there. */
  'patch_does_not_apply',
  /** A `test` found something else. */
  'patch_test_failed',
  /** The body would be larger than bodies may be. */
  'payload_too_large',
] as const;
export type PatchFaultCode = (typeof PATCH_FAULTS)[number];

export interface PatchFault {
  readonly ok: false;
  readonly code: PatchFaultCode;
  /** Index of the operation, from 0; null: it is about the whole. */
  readonly operation: number | null;
  /** The JSON Pointer that it is about. */
  readonly path: string | null;
  /** For people. Holds no value of the body. */
  readonly detail: string;
}

export function patchFault(code: PatchFaultCode, operation: number | null, path: string | null, detail: string): PatchFault {
  return { ok: false, code, operation, path, detail };
}
