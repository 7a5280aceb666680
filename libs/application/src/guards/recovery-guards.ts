import { hasToken, lineUp, purseOf, spend, spreadOf, type Bucket, type Level, type Plan, type Planned, type Purse } from '#libs/domain';
import type { JobChange } from '../log/job-change.js';
import { INSTALLATION, type GuardsRead, type ProbesTaken, type Spend } from '../ports/guard-store.port.js';
import type { LockedBatch } from '../ports/log-store.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';

export const HELD_BY_BLACKOUT = 'blackout';
export const HELD_BY_BUDGET = 'budget';
export const HELD_BY_PROBING = 'probing';

export interface KeptBack {
  readonly by: string;
  /** When to look again, lane time ms. */
  readonly lookAtMs: number;
}

/**
 * The guards of recovery, for the jobs of one transaction: between what is planned and what is decided. They bind what
 * Jobwarden does of its own accord; what a person or an emitter asked for goes ahead.
 *
 * Blackout: what rests on silence waits, at every level, since a would-have would be as wrong as the act. Budget: a
 * command that goes out takes a token of its queue and one of the installation; nothing below act does. Probing: where
 * what is requeued only fails again, a few commands go out and the others wait.
 */
export class RecoveryGuards {
  private readonly purses = new Map<number, Purse>();
  private readonly probed = new Map<number, number>();
  private readonly read: GuardsRead;

  constructor(
    private readonly locked: LockedBatch,
    private readonly policies: PolicySource,
  ) {
    this.read = locked.guards ?? NOTHING_READ;
  }

  /** null: it may go ahead, and what it takes is taken. */
  keepBack(change: JobChange, plan: Plan, level: Level): KeptBack | null {
    const { planned } = plan;
    if (planned.kind !== 'decide' || planned.action === null) return null;
    const blackoutMs = this.read.get(change.job.queueId)?.blackoutMs ?? null;
    if (blackoutMs !== null && restsOnSilence(planned)) return { by: HELD_BY_BLACKOUT, lookAtMs: this.blackoutLook(change) };
    return level === 'act' && goesOut(planned) ? (this.awaitProbes(change) ?? this.meter(change)) : null;
  }

  /** Probes that the transaction has to take. Sorted, and before the buckets. */
  get probes(): readonly ProbesTaken[] {
    return [...this.probed].sort(([a], [b]) => a - b).map(([queueId, probes]) => ({ queueId, probes }));
  }

  /** null: all go out, or this one is a probe. One that then finds no token is tried again, and counts no further. */
  private awaitProbes(change: JobChange): KeptBack | null {
    const { queueId, ref, keyHex } = change.job;
    const probing = this.read.get(queueId)?.probing ?? null;
    if (probing === null) return null;
    const taken = this.probed.get(queueId) ?? 0;
    if (taken < probing.left) {
      this.probed.set(queueId, taken + 1);
      return null;
    }
    const { everyMs } = this.policies.policyFor(ref, null).policy.probing;
    const nextMs = Math.max(probing.probedMs + everyMs, this.locked.laneMs + SPREAD_MS);
    return { by: HELD_BY_PROBING, lookAtMs: Math.ceil(nextMs + everyMs * spreadOf(keyHex, change.view.attempt)) };
  }

  /** What the transaction has to take. Sorted: every writer takes buckets in this order. */
  get spends(): readonly Spend[] {
    return [...this.purses]
      .filter(([, { spent, tailMs, nowMs }]) => spent > 0 || tailMs > nowMs)
      .sort(([a], [b]) => a - b)
      .map(([queueId, { budget, spent, tailMs }]) => {
        return { queueId, budget, tokens: spent, tailMs, known: this.bucket(queueId) !== null };
      });
  }

  private meter(change: JobChange): KeptBack | null {
    const { queueId, ref, heldBy, lookAtMs = 0 } = change.job;
    const waited = heldBy === HELD_BY_BUDGET;
    // Found due by two at once: the other one has given it its turn meanwhile.
    if (waited && lookAtMs > this.locked.laneMs) return { by: HELD_BY_BUDGET, lookAtMs };
    const own = this.purse(queueId, this.policies.policyFor(ref, null).policy.budget);
    const all = this.policies.budget === undefined ? null : this.purse(INSTALLATION, this.policies.budget);
    const ownHas = hasToken(own, waited);
    // No line before that of all: it would be as long for a queue with one job as for the one with all the others.
    const allHas = all === null || hasToken(all, true);
    if (ownHas && allHas) {
      this.purses.set(queueId, spend(own));
      if (all !== null) this.purses.set(INSTALLATION, spend(all));
      return null;
    }
    const places = [ownHas ? null : lineUp(own, waited), allHas ? null : lineUp(all, waited)];
    const [ownPlace, allPlace] = places;
    this.purses.set(queueId, ownPlace?.purse ?? own);
    if (all !== null) this.purses.set(INSTALLATION, allPlace?.purse ?? all);
    const turnMs = Math.max(this.locked.laneMs, ownPlace?.turnMs ?? 0, allPlace?.turnMs ?? 0);
    return { by: HELD_BY_BUDGET, lookAtMs: Math.ceil(turnMs + SPREAD_MS * spreadOf(change.job.keyHex, change.view.attempt)) };
  }

  private purse(queueId: number, budget: Purse['budget']): Purse {
    const known = this.purses.get(queueId);
    return known ?? purseOf(this.bucket(queueId), budget, this.locked.laneMs);
  }

  private bucket(queueId: number): Bucket | null {
    return this.read.get(queueId)?.bucket ?? null;
  }

  /** Seldom, and not all at once: its end makes them all due. */
  private blackoutLook(change: JobChange): number {
    const leaseMs = Math.min(Math.max(change.policy.policy.leaseMs, 500), 30_000);
    return this.locked.laneMs + Math.ceil(leaseMs * (0.5 + spreadOf(change.job.keyHex, change.view.attempt) / 2));
  }
}

const NOTHING_READ: GuardsRead = new Map();

/** Turns of a line lie in step: this takes those that came together apart. */
const SPREAD_MS = 1_000;

type Decide = Extract<Planned, { readonly kind: 'decide' }>;

/** That nobody was heard, and nothing else, is why. */
function restsOnSilence({ reason }: Decide): boolean {
  return reason === 'lost' || reason === 'start_by';
}

function goesOut({ drafts }: Decide): boolean {
  return drafts.some(({ kind }) => takesToken(kind));
}

/** Decisions with which a command goes out to a queue. */
export function takesToken(decision: string): boolean {
  return decision === 'requeued' || decision === 'republished';
}
