import { eventKeyHex, type EnqueueCommandData } from '#libs/contracts';
import { decisionEventId, payloadOf, type Decision, type JobState } from '#libs/domain';
import type { ClaimReads } from '../ports/claim-reads.port.js';
import type { LockedJob, Position } from '../ports/log-store.port.js';
import type { Attachments } from '../ports/outbound-store.port.js';
import { withMembers } from '../publish/cloud-event.js';
import { commandTrace } from '../publish/job-trace.js';

export interface GrantDetails {
  readonly invalidation: Position | null;
  /** {@link EnqueueCommandData} as JSON text, with the payload as it was sent; null: nothing is known to run with. */
  readonly command: string | null;
}

/** What belongs to a grant: a claim may make one for which no command goes out, and come before the other's. */
export async function grantDetails(
  { ref, keyHex, period, state }: LockedJob,
  attempt: number,
  token: number,
  reads: ClaimReads,
): Promise<GrantDetails> {
  if (state.queued === null) return { invalidation: null, command: null };
  const { invalidates } = state.queued;
  const payload = payloadOf(state);
  const grant = state.decisions.find((d) => d.kind === 'requeued' && d.attempt === attempt);
  const found = await reads.attachments({
    ...{ keyHex, period, attempt },
    payloadHash: payload !== undefined && 'hash' in payload ? payload.hash : null,
    grantKey: grant === undefined ? null : keyOf(grant),
  });
  const stale = (invalidates?.keys.length ?? 0) + (invalidates?.tags.length ?? 0) > 0;
  const invalidation = stale ? found.grant : null;
  return { invalidation, command: commandOf(state, { queue: ref.queue, attempt, token, grant, invalidation }, found) };
}

interface Granted {
  readonly queue: string;
  readonly attempt: number;
  readonly token: number;
  readonly grant: Decision | undefined;
  readonly invalidation: Position | null;
}

/** The first grant has no decision behind it: n is 0. */
function commandOf(state: JobState, { queue, attempt, token, grant, invalidation }: Granted, found: Attachments): string | null {
  const { queued } = state;
  if (queued === null) return null;
  const { kind } = queued;
  const payload = payloadOf(state);
  const trace = commandTrace(state, attempt);
  const command: EnqueueCommandData = {
    ...{ n: grant?.n ?? 0, attempt, token, reason: grant?.reason ?? 'queued', queue },
    ...(kind !== undefined && { kind }),
    ...(grant?.previousWorker !== undefined && { previousWorker: { ...grant.previousWorker } }),
    ...(payload !== undefined && 'ref' in payload && { payloadRef: payload.ref }),
    ...(invalidation !== null && { invalidation }),
    ...(trace !== undefined && { trace }),
  };
  return withMembers(JSON.stringify(command), { progress: jsonOf(found.progress), payload: jsonOf(found.payload) });
}

/** What was kept as JSON; a body that is none is told as the text that it is. */
function jsonOf(text: string | null): string | undefined {
  if (text === null) return undefined;
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}

function keyOf(decision: Decision): string {
  const { source, id } = decisionEventId(decision);
  return eventKeyHex(source, id);
}
