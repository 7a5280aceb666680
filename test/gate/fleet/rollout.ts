import type { Random } from '../../causes/random.js';

/** An attempt that ended, as the contract tells of it. */
export interface Ended {
  readonly atMs: number;
  readonly kind: string;
  readonly revision: string;
  readonly track: string;
  readonly end: 'succeeded' | 'failed' | 'lost';
  /** It was the job's last. */
  readonly dead: boolean;
  readonly runMs: number;
}

export interface KindOfWork {
  readonly name: string;
  /** Of what arrives. */
  readonly weight: number;
  /** Chance of an attempt to fail. */
  readonly fails: number;
  readonly medianMs: number;
  readonly sigma: number;
  /** Of its jobs so many go to the canary, times the canary's share: queues are not always dealt out evenly. */
  readonly toCanary: number;
}

/** Something that everybody meets for a while. */
export interface Burst {
  readonly fromMs: number;
  readonly toMs: number;
  /** null: all kinds. */
  readonly kind: string | null;
  readonly fails: number;
  readonly slower: number;
}

/** What the new release does otherwise. */
export interface Change {
  /** So long after it began; until then it is as good as stable. */
  readonly afterMs: number;
  readonly fails: (kind: KindOfWork, share: number) => number;
  readonly slower: number;
  readonly lost: number;
  /** Of failures, those that are the job's last; null: as with stable. */
  readonly gaveUp: number | null;
}

export const NO_CHANGE: Change = { afterMs: 0, fails: (_kind, share) => share, slower: 1, lost: 0, gaveUp: null };

export interface Rollout {
  readonly kinds: readonly KindOfWork[];
  readonly bursts: readonly Burst[];
  /** Of jobs, to the canary. */
  readonly share: number;
  /** Attempts that the canary ends. */
  readonly canaryJobs: number;
  readonly takesMs: number;
  readonly lost: number;
  /** Of failures, those that were the job's last. */
  readonly gaveUp: number;
  readonly change: Change;
}

export const CANARY = { revision: '2.0', track: 'canary' } as const;
export const STABLE = { revision: '1.0', track: 'stable' } as const;

/** Jobs arrive by chance, and are dealt out by chance. `beginMs`: the canary starts; stable was there before. */
export function* attemptsOf(rollout: Rollout, random: Random, beginMs: number): Generator<Ended> {
  const { kinds, bursts, share, canaryJobs, takesMs, lost, gaveUp, change } = rollout;
  const weights = kinds.reduce((sum, k) => sum + k.weight, 0);
  const dealt = kinds.reduce((sum, k) => sum + (k.weight / weights) * Math.min(0.95, share * k.toCanary), 0);
  const everyMs = (takesMs * dealt) / canaryJobs;
  const before = Math.max(...kinds.map((k) => k.medianMs)) * 3;
  for (let at = beginMs - before; at < beginMs + takesMs; at += random.exponential(everyMs)) {
    const kind = pickKind(kinds, random.next() * weights);
    const canary = at >= beginMs && random.chance(Math.min(0.95, share * kind.toCanary));
    const met = bursts.filter((b) => at - beginMs >= b.fromMs && at - beginMs < b.toMs && (b.kind === null || b.kind === kind.name));
    const usual = met.reduce((most, b) => Math.max(most, b.fails), kind.fails);
    const changed = canary && at >= beginMs + change.afterMs ? change : NO_CHANGE;
    const slower = met.reduce((most, b) => Math.max(most, b.slower), 1) * changed.slower;
    const runMs = random.logNormal(kind.medianMs * slower, kind.sigma);
    const gone = random.chance(lost + changed.lost);
    const end = gone ? 'lost' : random.chance(changed.fails(kind, usual)) ? 'failed' : 'succeeded';
    const dead = end !== 'succeeded' && random.chance(changed.gaveUp ?? gaveUp);
    // A lost lease is noticed when it has run out.
    yield { atMs: Math.floor(at + runMs + (gone ? 30_000 : 0)), kind: kind.name, ...(canary ? CANARY : STABLE), end, dead, runMs };
  }
}

function pickKind(kinds: readonly KindOfWork[], at: number): KindOfWork {
  let left = at;
  for (const kind of kinds) {
    left -= kind.weight;
    if (left < 0) return kind;
  }
  const last = kinds.at(-1);
  if (last === undefined) throw new Error('a rollout without work');
  return last;
}
