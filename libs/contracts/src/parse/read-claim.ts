import type { JobRef, Worker } from '#libs/domain';
import type { ClaimCall } from '../rest/claims.js';
import { jobEventType } from '../vocabulary.js';
import type { ParseContext } from './context.js';
import { parseEvent } from './parse-event.js';

export interface ReadClaim {
  readonly claimId: string;
  readonly worker: Worker;
  readonly leaseMs?: number;
  readonly token?: number;
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/**
 * Reads a claim as the event that it becomes: the same limits, the same redaction, before anything of it is stored.
 * A string: what is wrong with it.
 */
export function readClaim(ref: JobRef, call: ClaimCall, context: ParseContext): ReadClaim | string {
  const { claimId, worker, leaseMs, token, traceparent, tracestate } = call;
  const parsed = parseEvent(
    {
      ...{ specversion: '1.0', id: claimId, source: 'claim', type: jobEventType('claimed'), subject: ref.id },
      namespace: ref.namespace,
      ...{ traceparent, tracestate },
      data: { queue: ref.queue, worker, ...(leaseMs !== undefined && { leaseMs }) },
    },
    context,
  );
  if (!parsed.ok) return inTheCall(parsed.detail);
  if (parsed.kind !== 'fact' || parsed.fact.type !== 'claimed') return 'it is no claim';
  const { fact } = parsed;
  return {
    ...{ claimId, worker: fact.worker },
    ...(fact.leaseMs !== undefined && { leaseMs: fact.leaseMs }),
    ...(token !== undefined && { token }),
    ...(fact.traceparent !== undefined && { traceparent: fact.traceparent }),
    ...(fact.tracestate !== undefined && { tracestate: fact.tracestate }),
  };
}

/** The event's names of its fields, as the call has them. */
function inTheCall(detail: string): string {
  return detail.replace(/^(?:id(?= )|data\.)/u, (name) => (name === 'id' ? 'claimId' : ''));
}
