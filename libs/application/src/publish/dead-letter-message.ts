import { DEAD_LETTER_TYPE, type DeadLetteredData } from '#libs/contracts';
import { payloadOf, type JobState } from '#libs/domain';
import { cutsOf } from '../views/cut-view.js';
import { chainOf, firstCauseOf, hopsOf, patchViews } from '../views/chain.js';
import { cloudEvent } from './cloud-event.js';
import type { Intent } from './decoded-entry.js';
import { envelopeTrace } from './job-trace.js';
import { messageId } from './message-id.js';

/**
 * A job that failed for good, with every attempt. Bodies (payload, stacks) stay beside the log and are named by their
 * hash, so that no dead letter is too large to be told.
 */
export function deadLetterMessage({ entry, decision }: Intent, state: JobState): string {
  const { ref, laneMs } = entry;
  const { queued } = state;
  const { token, evidence } = decision;
  const firstCause = firstCauseOf(state);
  const hops = hopsOf(state);
  const cut = cutsOf(entry.cuts ?? null);
  const patches = patchViews(state);
  const payload = payloadOf(state);
  const data: DeadLetteredData = {
    queue: ref.queue,
    n: decision.n,
    attempt: decision.attempt,
    ...(token !== undefined && { token }),
    reason: decision.reason,
    by: decision.by,
    ...(queued?.kind !== undefined && { kind: queued.kind }),
    chain: chainOf(state),
    ...(payload !== undefined && { payloadRef: payloadRef(payload) }),
    ...(firstCause !== null && { firstCause }),
    ...(cut.length > 0 && { cut }),
    redrives: hops.length,
    ...(hops.length > 0 && { hops }),
    ...(patches.length > 0 && { patches }),
    ...(evidence !== undefined && { evidence: withoutChain(evidence) }),
  };
  const head = { id: messageId('dead-letter', entry), type: DEAD_LETTER_TYPE, ref, laneMs };
  return cloudEvent({ ...head, ...envelopeTrace(state) }, data);
}

function payloadRef(payload: { readonly hash: string } | { readonly ref: string }): string {
  return 'ref' in payload ? payload.ref : `sha256:${payload.hash}`;
}

/** The chain is told once, from the row, where late facts are in it. */
function withoutChain(evidence: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(evidence).filter(([name]) => name !== 'chain'));
}
