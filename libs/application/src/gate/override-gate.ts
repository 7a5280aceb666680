import type { GateOverride, GateReads, GateScope, GateStore } from '../ports/gate-store.port.js';
import type { CanaryGate } from './canary-gate.js';

export interface OverrideRequest {
  readonly scope: GateScope;
  readonly reason: string;
  readonly by: string;
  /** Lane time, ms. */
  readonly untilMs: number;
}

export type OverrideOutcome =
  | { readonly kind: 'done'; readonly override: GateOverride }
  | { readonly kind: 'refused'; readonly code: 'until_past' | 'until_too_far' | 'queue_unknown' | 'target_unknown' };

/** An exception that outlives its rollout is no exception, ms. */
export const LONGEST_OVERRIDE_MS = 7 * 86_400_000;

/** Lets a canary through although a postmortem is open. Who, why and until when is kept; each call adds a decision. */
export class OverrideGate {
  constructor(
    private readonly reads: Pick<GateReads, 'nowMs'>,
    private readonly gate: Pick<CanaryGate, 'queuesOf'>,
    private readonly store: Pick<GateStore, 'override'>,
  ) {}

  async allow(request: OverrideRequest): Promise<OverrideOutcome> {
    const nowMs = await this.reads.nowMs();
    if (request.untilMs <= nowMs) return { kind: 'refused', code: 'until_past' };
    if (request.untilMs - nowMs > LONGEST_OVERRIDE_MS) return { kind: 'refused', code: 'until_too_far' };
    const { scope } = request;
    // What nothing is judged for would stay closed, and whoever has mistyped it would take it for open.
    if ((await this.gate.queuesOf({ scope, namespaces: 'all' })).length === 0) return { kind: 'refused', code: scope.queue === null ? 'target_unknown' : 'queue_unknown' };
    return { kind: 'done', override: await this.store.override(request) };
  }
}
