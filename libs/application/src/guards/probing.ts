import { probingMove, SAMPLES } from '#libs/domain';
import type { ProbingStore, RequeuedAttempt } from '../ports/guard-store.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';

/** Samples are read so often at most, by each replica: they say something about minutes. */
const EVERY_MS = 2_000;
/** A sample that is not decided after so long says nothing of how things are now. */
const FORGET_AFTER_MS = 3_600_000;

/**
 * Follows some of the requeued attempts of every queue, and has only probes go out where nearly all of them fail again.
 *
 * Samples are taken after the commit that requeued: one that is missed for a crash is missed, the next ones tell the
 * same. Moves name what they were made on, so of two replicas one makes them.
 */
export class Probing {
  private readMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly store: ProbingStore,
    private readonly policies: PolicySource,
  ) {}

  async follow(requeued: readonly RequeuedAttempt[]): Promise<void> {
    if (requeued.length > 0) await this.store.sample(requeued, SAMPLES);
  }

  async watch(nowMs: number): Promise<void> {
    if (Math.abs(nowMs - this.readMs) < EVERY_MS) return;
    this.readMs = nowMs;
    for (const tally of await this.store.tallies(FORGET_AFTER_MS)) {
      const { probing } = this.policies.policyFor(tally.queue, null).policy;
      const move = probingMove(tally, probing, nowMs);
      if (move !== null) await this.store.move(tally, move, { nowMs, probes: probing.probes });
    }
  }
}
