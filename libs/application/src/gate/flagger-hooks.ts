import type { GateSelection } from '#libs/domain';
import type { GateScope, GateStore } from '../ports/gate-store.port.js';
import type { CanaryGate, GateAnswer } from './canary-gate.js';

/** When Flagger asks; docs/canary.md says what it makes of each answer. */
export const FLAGGER_HOOKS = ['confirm-rollout', 'confirm-promotion', 'rollback'] as const;
export type FlaggerHook = (typeof FLAGGER_HOOKS)[number];

export interface FlaggerCall {
  readonly hook: FlaggerHook;
  /** The Canary object. */
  readonly name: string;
  readonly namespace: string;
  readonly phase: string;
  /** Of the spec that was applied last, and of what it refers to. */
  readonly checksum: string;
  readonly scope: GateScope;
  readonly namespaces: readonly string[] | 'all';
  readonly selection: GateSelection;
}

export interface FlaggerAnswer {
  /** The hook passes: go on, or, of `rollback`, roll back. */
  readonly yes: boolean;
  readonly gate: GateAnswer;
}

/**
 * What Flagger's webhooks ask. A rollout begins when its checksum is first seen, or when it waits to be confirmed: until
 * then no canary of it runs, and what an earlier canary did must not roll this one back.
 *
 * `confirm-rollout`: yes, unless the gate is closed, or the revision is named and already told to be unhealthy.
 * `confirm-promotion`: only where the canary is healthy and the gate is open. `rollback`: as soon as it is unhealthy, in
 * every phase; an error or a closed gate is no reason to roll back.
 */
export class FlaggerHooks {
  constructor(
    private readonly gate: Pick<CanaryGate, 'look' | 'queuesOf'>,
    private readonly store: Pick<GateStore, 'rolloutBegan'>,
  ) {}

  async answer({ hook, name, namespace, checksum, scope, namespaces, selection }: FlaggerCall): Promise<FlaggerAnswer> {
    const queues = await this.gate.queuesOf({ scope, namespaces });
    // What nobody knows is no rollout: the gate says so, and nothing is kept of it.
    const sinceMs = queues.length === 0 ? 0 : await this.store.rolloutBegan({ namespace, name, scope, seenBy: namespaces, checksum, anew: hook === 'confirm-rollout' });
    // A revision by name is judged by all that is known of it before it is let in again.
    const known = hook === 'confirm-rollout' && selection.by === 'revision' ? 0 : sinceMs;
    const gate = await this.gate.look({ scope, namespaces, selection, sinceMs: known });
    return { yes: yesTo(hook, gate), gate };
  }
}

function yesTo(hook: FlaggerHook, { verdict, pass, closed, reasons }: GateAnswer): boolean {
  switch (hook) {
    case 'confirm-rollout':
      return closed.length === 0 && (verdict === 'healthy' || verdict === 'inconclusive' || reasons.includes('stable_unknown'));
    case 'confirm-promotion':
      return pass;
    case 'rollback':
      return verdict === 'unhealthy';
  }
}
