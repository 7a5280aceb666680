import type { GateRows, GateSeen, GateSpan } from '#libs/domain';
import type { QueueName } from './outcome-store.port.js';
import type { Page, PageOf } from './read-models.port.js';

/** What canary and stable did, as it was counted while events were taken in. */
export interface GateReads {
  /** Lane time now, ms. */
  nowMs(): Promise<number>;
  /** Every queue that an event has named, in these namespaces. */
  queues(namespaces: readonly string[] | 'all'): Promise<readonly QueueName[]>;
  /** Whoever was heard of in any of these queues, as far back as outcomes are kept. */
  seen(queues: readonly QueueName[]): Promise<readonly GateSeen[]>;
  /** Counts in the span, in stretches of its length. Of several queues the kinds are told apart by their queue. */
  rows(queues: readonly QueueName[], span: GateSpan): Promise<GateRows>;
}

/** What the canary gate remembers. */
export interface GateStore {
  /**
   * Since when this rollout is judged, lane time ms: since it was first asked about under this checksum, or asked for
   * `anew`. Idempotent but for that.
   */
  rolloutBegan(rollout: RolloutName & { readonly checksum: string; readonly anew: boolean }): Promise<number>;
  /** Adds a decision; those before stay. */
  override(decision: NewGateOverride): Promise<GateOverride>;
  /** The one that holds longest of those that stand for the target or for one of the queues; null: none does. */
  standing(target: string | null, queues: readonly QueueName[]): Promise<GateOverride | null>;
  /** Newest first, also those that have run out; kept for 90 days after. Of the installation's targets only for `all`. */
  overrides(namespaces: readonly string[] | 'all', page: Page): Promise<PageOf<GateOverride>>;
}

/** An object of a cluster, as its controller names it, and what is judged for it: who may see other queues asks about another rollout. */
export interface RolloutName {
  readonly namespace: string;
  readonly name: string;
  readonly scope: GateScope;
  readonly seenBy: readonly string[] | 'all';
}

/** What is let through: all workers of a target, or those of a queue. */
export type GateScope = { readonly target: string; readonly queue: null } | { readonly target: null; readonly queue: QueueName };

export interface NewGateOverride {
  readonly scope: GateScope;
  readonly reason: string;
  readonly by: string;
  /** Lane time, ms. */
  readonly untilMs: number;
}

export interface GateOverride extends NewGateOverride {
  readonly id: string;
  readonly setMs: number;
}
