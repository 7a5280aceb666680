/** Why a request was not acknowledged. Jobwarden sends it again, ten times over about half an hour, and then parks it (`GET /v1/parked`). */
export type RefusalCode =
  | 'method_not_allowed'
  | 'signature_missing'
  /** Older or newer than `toleranceMs`: a replay, or clocks that differ. */
  | 'timestamp_out_of_range'
  /** Another secret, or a body that was changed on its way. */
  | 'signature_wrong'
  | 'body_too_large'
  /** Something in front of the receiver has read the body, and left no `rawBody`. */
  | 'body_consumed'
  | 'invalid_json'
  /** It is JSON, and no event that Jobwarden sends. */
  | 'invalid_event'
  /** A copy came while it is being dealt with. */
  | 'in_progress'
  /** `onEnqueue`, `onStop` or `onEvent` rejected. */
  | 'handler_failed'
  | 'store_failed';

const STATUS: Readonly<Record<RefusalCode, number>> = {
  method_not_allowed: 405,
  signature_missing: 401,
  timestamp_out_of_range: 401,
  signature_wrong: 401,
  body_too_large: 413,
  body_consumed: 500,
  invalid_json: 400,
  invalid_event: 400,
  in_progress: 503,
  handler_failed: 500,
  store_failed: 503,
};

const MORE: Partial<Readonly<Record<RefusalCode, Readonly<Record<string, string>>>>> = {
  method_not_allowed: { allow: 'POST' },
  in_progress: { 'retry-after': '1' },
};

export interface Refusal {
  readonly code: RefusalCode;
  /** For whoever reads the log. Nothing of the body or of a secret. */
  readonly detail: string;
}

/** As problem details (RFC 9457). */
export function refusalResponse({ code, detail }: Refusal): Response {
  const status = STATUS[code];
  return new Response(JSON.stringify({ status, code, detail }), { status, headers: { 'content-type': 'application/problem+json', ...MORE[code] } });
}
