import { LIMIT_SETTINGS, type Limits } from '../limits.js';
import { QUARANTINE_REASON, type QuarantineReason } from '../vocabulary.js';

/** Why an event is not taken, before it is known what becomes of it. */
export interface Fault {
  readonly reason: QuarantineReason;
  readonly detail: string;
}

export function schemaFault(detail: string): Fault {
  return { reason: QUARANTINE_REASON.schema, detail };
}

export function tooLarge(path: string, found: string, limit: keyof Limits, allowed: number, advice: string): Fault {
  return {
    reason: QUARANTINE_REASON.too_large,
    detail: `${path} ${found}, over the limit of ${allowed} (${LIMIT_SETTINGS[limit]}): ${advice}`,
  };
}

export function unstorable(path: string, what: string): Fault {
  return {
    reason: QUARANTINE_REASON.unstorable,
    detail: `${path} holds ${what}, which cannot be stored: leave it out or encode it`,
  };
}
