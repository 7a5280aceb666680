import type { JobRef } from '#libs/domain';
import { overlay } from '../policies/overlay.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { GateChange, QueueGate, QueueGateStore } from '../ports/queue-gate-store.port.js';
import type { RunAt } from '../ports/run-store.port.js';

type QueueName = Pick<JobRef, 'namespace' | 'queue'>;

/**
 * Queues that operators pause, throttle and resume:
 *
 *   open ──pause──► paused ──resume──► open        paused: no claim is granted, requeues are held, the start-by clock
 *   open ──throttle──► throttled ──resume──► open          stands; what runs goes on
 *                                                  throttled: so many claims a second, of all replicas together
 *
 * Answers come from memory: `refresh` brings in what other replicas have set. Call it every second or so. Each change is
 * kept as a decision of the queue.
 */
export class QueueGates {
  private gates = new Map<string, QueueGate>();

  constructor(private readonly store: QueueGateStore) {}

  /** null: it was never paused nor throttled. */
  of(queue: QueueName): QueueGate | null {
    return this.gates.size === 0 ? null : (this.gates.get(keyOf(queue)) ?? null);
  }

  async refresh(): Promise<void> {
    this.gates = new Map((await this.store.all()).map((gate) => [keyOf(gate), gate]));
  }

  async set(change: GateChange): Promise<GateOutcome> {
    const reason = change.reason.trim();
    if (reason === '') return { kind: 'refused', code: 'reason_required', detail: 'say why: it is kept' };
    const gate = await this.store.set({ ...change, reason });
    this.gates.set(keyOf(gate), gate);
    return { kind: 'set', gate };
  }

  /** For a run, over a gate that it has judged. false: somebody has set another one since, or the run has gone on. */
  async setFor(run: RunAt, judged: QueueGate | null, change: GateChange): Promise<boolean> {
    const gate = await this.store.setFor(run, judged, change);
    if (gate !== null) this.gates.set(keyOf(gate), gate);
    return gate !== null;
  }

  /** Of a throttled queue: how long to wait until a claim may go on, ms; 0: it may try. */
  async untilPermit(queue: QueueName): Promise<number> {
    return await this.store.untilPermit(queue);
  }
}

export type GateOutcome =
  | { readonly kind: 'set'; readonly gate: QueueGate }
  | { readonly kind: 'refused'; readonly code: 'reason_required'; readonly detail: string };

/** Policies with what operators let through of each queue. */
export function withGates(policies: PolicySource, gates: QueueGates): PolicySource {
  return overlay(policies, (resolved, ref) => {
    const gate = gates.of(ref);
    return gate === null ? resolved : { ...resolved, gate };
  });
}

function keyOf({ namespace, queue }: QueueName): string {
  return `${namespace}\0${queue}`;
}
