import { DEAD_LETTER_TYPE, type ChainLink, type DeadLetteredData } from '#libs/contracts';
import type { AttemptState, JobState } from '#libs/domain';
import { cloudEvent, instant } from './cloud-event.js';
import type { Intent } from './decoded-entry.js';
import { messageId } from './message-id.js';

/**
 * A job that failed for good, with every attempt. Bodies (payload, stacks) stay beside the log and are named by their
 * hash, so that no dead letter is too large to be told.
 */
export function deadLetterMessage({ entry, decision }: Intent, state: JobState): string {
  const { ref, laneMs } = entry;
  const { queued } = state;
  const { token, evidence } = decision;
  const data: DeadLetteredData = {
    queue: ref.queue,
    n: decision.n,
    attempt: decision.attempt,
    ...(token !== undefined && { token }),
    reason: decision.reason,
    by: decision.by,
    ...(queued?.kind !== undefined && { kind: queued.kind }),
    chain: chainOf(state),
    ...(queued?.payload !== undefined && { payloadRef: payloadRef(queued.payload) }),
    redrives: state.decisions.filter((d) => d.kind === 'redriven').length,
    ...(evidence !== undefined && { evidence: withoutChain(evidence) }),
  };
  const head = { id: messageId('dead-letter', entry), type: DEAD_LETTER_TYPE, ref, laneMs };
  return cloudEvent({ ...head, traceparent: queued?.traceparent }, data);
}

function payloadRef(payload: { readonly hash: string } | { readonly ref: string }): string {
  return 'ref' in payload ? payload.ref : `sha256:${payload.hash}`;
}

/** The chain is told once, from the row, where late facts are in it. */
function withoutChain(evidence: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(evidence).filter(([name]) => name !== 'chain'));
}

function chainOf(state: JobState): ChainLink[] {
  const granted = state.decisions.filter((d) => d.kind === 'requeued').map((d) => d.attempt);
  return [...new Set([1, ...state.attempts.keys(), ...granted])].sort((a, b) => a - b).map((n) => linkOf(state, n));
}

function linkOf(state: JobState, n: number): ChainLink {
  const attempt = state.attempts.get(n);
  const token = state.decisions.find((d) => d.kind === 'requeued' && d.attempt === n)?.token;
  const worker = attempt?.outcome?.worker ?? attempt?.starts[0]?.worker;
  const error = attempt?.outcome?.error;
  return {
    attempt: n,
    ...(token !== undefined && { token }),
    ...endOf(state, n, attempt),
    ...(worker !== undefined && { worker }),
    ...(error !== undefined && { error }),
  };
}

/** By its own fact, else by what it was taken for. */
function endOf(state: JobState, n: number, attempt: AttemptState | undefined): Pick<ChainLink, 'ended' | 'at'> {
  if (attempt?.outcome != null) return { ended: attempt.outcome.kind, at: instant(attempt.outcome.laneMs) };
  const taken = state.decisions.findLast((d) => d.kind === 'restart-requested' && d.attempt === n);
  if (taken !== undefined) return { ended: taken.reason, at: instant(taken.laneMs) };
  return { ended: 'unknown', at: instant(attempt?.lastStartMs ?? state.firstMs) };
}
