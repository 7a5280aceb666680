import { signalKeyHex } from '#libs/contracts';
import { isDrill, NOT_SATURATED, nextSaturation, OUTCOME_SLOT_MS, readSaturation, type OutcomeCounts, type SaturationPolicy, type SaturationStanding } from '#libs/domain';
import type { QueueName } from '../ports/outcome-store.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { SaturationLook, SaturationStore, StoredSaturation } from '../ports/saturation-store.port.js';
import type { ToldSignal } from '../ports/signal-store.port.js';

export interface EvaluateSaturationParts {
  readonly store: SaturationStore;
  readonly policies: PolicySource;
  /** The longest `saturation.window` of any policy in force, ms. */
  readonly longestWindowMs: () => number;
  readonly changed: (queue: QueueName, what: 'fires' | 'is over', figures: Readonly<Record<string, number>>) => void;
}

/** Between two looks, of all replicas together. */
const EVERY_MS = 4_500;
/** After as long without a look nobody knows what held meanwhile: waits begin anew. What fires goes on. */
const GAP_MS = 30_000;
/** What fires is told again so often, or it would be taken to be over. */
const TELL_EVERY_MS = 60_000;
/** A signal that nobody has told for so long is over. */
const SILENT_MS = 3_600_000;

/**
 * The rule of the alert `WorkerReactorCriticalSaturation` without Prometheus: looks at what ended within the window, per
 * queue, and tells signals as Alertmanager does. One look costs as many rows as queues have had stretches in which
 * something ended; how many jobs there are does not matter.
 */
export class EvaluateSaturation {
  private readonly fed = new Set<string>();

  constructor(private readonly parts: EvaluateSaturationParts) {}

  /** One look, unless another replica has just looked. */
  async look(): Promise<void> {
    await this.parts.store.look(EVERY_MS, (look) => this.lookAt(look));
  }

  private async lookAt(look: SaturationLook): Promise<void> {
    const kept = new Map((await look.standing()).map((stored) => [keyOf(stored), stored]));
    const counted = await this.countedOf(look, [...kept.values()]);
    const over = counted.filter((one) => needsBacklog(one, kept.has(keyOf(one))));
    const waiting = new Map((over.length === 0 ? [] : await look.unprocessed(over)).map((one) => [keyOf(one), one.waiting]));
    const standing: (QueueName & { readonly standing: SaturationStanding })[] = [];
    const told: ToldSignal[] = [];
    for (const one of counted) {
      const sample = { processed: one.processed, failed: one.failed, unprocessed: waiting.get(keyOf(one)) ?? null };
      const before = kept.get(keyOf(one));
      const next = nextSaturation(rested(before, look.nowMs), readSaturation(sample, one.policy), one.policy, look.nowMs);
      if (next !== NOT_SATURATED) standing.push({ namespace: one.namespace, queue: one.queue, standing: next });
      const signal = this.signalOf(one, { before, next, figures: figuresOf(sample) }, look.nowMs);
      if (signal !== null) told.push(signal);
    }
    await look.keep(standing);
    await look.tell(told);
    await look.expire(SILENT_MS);
  }

  /** Each queue by its own window: one reading where all have the same. */
  private async countedOf(look: SaturationLook, kept: readonly StoredSaturation[]): Promise<readonly Counted[]> {
    const longestMs = this.parts.longestWindowMs();
    const within = (windowMs: number) => ({ sinceMs: look.nowMs - windowMs, untilMs: look.nowMs + OUTCOME_SLOT_MS });
    const all = await look.rates(within(longestMs));
    await this.noteFed(look, all);
    const counts = new Map(all.map((one) => [keyOf(one), one.counts]));
    const queues = new Map([...all, ...kept].map(({ namespace, queue }) => [keyOf({ namespace, queue }), { namespace, queue }]));
    // A drill brings its own signal.
    const counted = [...queues.values()].filter((queue) => !isDrill(queue)).map((queue) => ({ ...queue, policy: this.parts.policies.policyFor(queue, null).policy.saturation }));
    const shorter = Map.groupBy(counted.filter(({ policy }) => policy.windowMs < longestMs), ({ policy }) => policy.windowMs);
    for (const [windowMs, some] of shorter) {
      for (const one of some) counts.delete(keyOf(one));
      for (const one of await look.rates({ ...within(windowMs), queues: some })) counts.set(keyOf(one), one.counts);
    }
    return counted.map((one) => ({ ...one, ...endsOf(counts.get(keyOf(one))) }));
  }

  private async noteFed(look: SaturationLook, rates: readonly (QueueName & { readonly counts: OutcomeCounts })[]): Promise<void> {
    const newly = rates.filter((one) => one.counts.queued > 0 && !this.fed.has(keyOf(one)));
    if (newly.length === 0) return;
    await look.fed(newly);
    for (const one of newly) this.fed.add(keyOf(one));
  }

  private signalOf(queue: QueueName, { before, next, figures }: Change, nowMs: number): ToldSignal | null {
    const begun = before?.standing.firingSinceMs ?? null;
    const startsMs = next.firingSinceMs ?? begun;
    if (startsMs === null) return null;
    const firing = next.firingSinceMs !== null;
    if (begun === null || !firing) this.parts.changed(queue, firing ? 'fires' : 'is over', figures);
    else if (minuteOf(nowMs, startsMs) === minuteOf(before?.lookedMs ?? nowMs, startsMs)) return null;
    const { namespace, queue: name } = queue;
    const fingerprint = signalKeyHex('evaluator', namespace, name).slice(0, 16);
    const identity = signalKeyHex('evaluator', fingerprint, String(startsMs));
    return { ...{ identity, fingerprint, startsMs, namespace, queue: name, firing, figures }, source: 'evaluator', refused: null };
  }
}

interface Counted extends QueueName {
  readonly policy: SaturationPolicy;
  readonly processed: number;
  readonly failed: number;
}

interface Change {
  readonly before: StoredSaturation | undefined;
  readonly next: SaturationStanding;
  readonly figures: Readonly<Record<string, number>>;
}

function keyOf({ namespace, queue }: QueueName): string {
  return `${namespace}\0${queue}`;
}

function endsOf(counts: OutcomeCounts | undefined): { readonly processed: number; readonly failed: number } {
  if (counts === undefined) return { processed: 0, failed: 0 };
  const failed = counts.failed + counts.lost;
  return { processed: counts.succeeded + failed, failed };
}

/** Where its reading does not depend on it, nobody asks how many wait. */
function needsBacklog({ processed, failed, policy }: Counted, isKept: boolean): boolean {
  return processed === 0 ? isKept : failed / processed > policy.ratio;
}

function rested(before: StoredSaturation | undefined, nowMs: number): SaturationStanding {
  if (before === undefined) return NOT_SATURATED;
  return nowMs - before.lookedMs <= GAP_MS ? before.standing : { ...before.standing, overSinceMs: null, recoveringSinceMs: null };
}

function figuresOf({ processed, failed, unprocessed }: { processed: number; failed: number; unprocessed: number | null }): Readonly<Record<string, number>> {
  return { processed, failed, ...(processed > 0 && { ratio: failed / processed }), ...(unprocessed !== null && { unprocessed }) };
}

function minuteOf(atMs: number, sinceMs: number): number {
  return Math.floor((atMs - sinceMs) / TELL_EVERY_MS);
}
