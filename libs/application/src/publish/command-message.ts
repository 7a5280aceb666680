import { ENQUEUE_COMMAND_TYPE, STOP_COMMAND_TYPE, eventKeyHex, type StopCommandData } from '#libs/contracts';
import { decisionEventId, grantToken, payloadOf, type BodyRef, type Decision, type JobState } from '#libs/domain';
import type { Position } from '../ports/log-store.port.js';
import type { AttachmentRequest, Attachments } from '../ports/outbound-store.port.js';
import { cloudEvent } from './cloud-event.js';
import type { Intent } from './decoded-entry.js';
import { commandTrace, envelopeTrace } from './job-trace.js';
import { messageId } from './message-id.js';

/** The message, or why it cannot be delivered. */
export type Built = { readonly message: string } | { readonly fault: string; readonly message: string };

export function stopMessage({ entry, decision }: Intent, state: JobState, deliverTo: string | null = null): string {
  const { ref, laneMs } = entry;
  const worker = decision.previousWorker;
  const data: StopCommandData = {
    queue: ref.queue,
    ...(deliverTo !== null && { deliverTo }),
    n: decision.n,
    attempt: decision.attempt,
    token: tokenOfAttempt(state, decision),
    reason: decision.reason,
    ...(worker !== undefined && { worker, previousWorker: worker }),
  };
  return cloudEvent({ id: messageId('stop', entry), type: STOP_COMMAND_TYPE, ref, laneMs, ...envelopeTrace(state) }, data);
}

/** What an enqueue command needs besides the row. */
export function attachmentsOf({ entry, decision }: Intent, state: JobState, limitBytes: number): AttachmentRequest {
  const payload = payloadOf(state);
  const beside = payload !== undefined && 'hash' in payload && payload.bytes <= limitBytes;
  const grant = decision.kind === 'requeued' ? undefined : grantOf(state, decision.attempt);
  return {
    keyHex: entry.keyHex,
    period: entry.period,
    attempt: decision.attempt,
    payloadHash: beside ? payload.hash : null,
    grantKey: grant === undefined ? null : keyOf(grant),
  };
}

export interface EnqueueOptions {
  /** Position of the grant's invalidation, which has gone out before. */
  readonly invalidation: Position | null;
  readonly payloadLimitBytes: number;
  /** The queue whose workers are meant; null or left out: the job's own. */
  readonly deliverTo?: string | null;
}

export function enqueueMessage(
  intent: Intent,
  state: JobState,
  attached: Attachments,
  options: EnqueueOptions,
): Built {
  const payload = payloadOf(state);
  const fault = payload === undefined ? null : payloadFault(payload, attached, options.payloadLimitBytes);
  const message = enqueueText(intent, state, attached, options);
  return fault === null ? { message } : { fault, message };
}

function enqueueText(
  { entry, decision }: Intent,
  state: JobState,
  attached: Attachments,
  options: EnqueueOptions,
): string {
  const { deliverTo = null } = options;
  const invalidation = options.invalidation ?? attached.grant;
  const { ref, laneMs } = entry;
  const { queued } = state;
  const payload = payloadOf(state);
  const previousWorker = decision.previousWorker ?? grantOf(state, decision.attempt)?.previousWorker;
  const trace = commandTrace(state, decision.attempt);
  const data = {
    queue: ref.queue,
    ...(deliverTo !== null && { deliverTo }),
    n: decision.n,
    attempt: decision.attempt,
    token: tokenOfAttempt(state, decision),
    reason: decision.reason,
    ...(queued?.kind !== undefined && { kind: queued.kind }),
    ...(previousWorker !== undefined && { previousWorker }),
    ...(payload !== undefined && 'ref' in payload && { payloadRef: payload.ref }),
    ...(invalidation !== null && { invalidation }),
    ...(trace !== undefined && { trace }),
  };
  const head = { id: messageId('enqueue', entry), type: ENQUEUE_COMMAND_TYPE, ref, laneMs };
  return cloudEvent({ ...head, ...envelopeTrace(state) }, data, {
    progress: attached.progress !== null && isJson(attached.progress) ? attached.progress : undefined,
    payload: attached.payload ?? undefined,
  });
}

/** Progress is only told along: a broken one must not break the command. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function payloadFault(payload: BodyRef, attached: Attachments, limitBytes: number): string | null {
  if ('ref' in payload) return null;
  if (payload.bytes > limitBytes) {
    return `payload_too_large: ${String(payload.bytes)} bytes, the limit is ${String(limitBytes)}`;
  }
  return attached.payload === null ? 'payload_erased: the payload is no longer kept' : null;
}

function grantOf(state: JobState, attempt: number): Decision | undefined {
  return state.decisions.find((d) => d.kind === 'requeued' && d.attempt === attempt);
}

function keyOf(decision: Decision): string {
  const { source, id } = decisionEventId(decision);
  return eventKeyHex(source, id);
}

/** As the grant stands now: a claim may have redeemed it under a higher epoch than it was opened under. */
function tokenOfAttempt(state: JobState, { attempt }: Decision): number {
  return grantToken(state, attempt);
}
