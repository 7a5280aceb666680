/** Leases that run out are looked for once in so long, ms. */
const STEP_MS = 1_000;

interface Watched {
  readonly leaseMs: number;
  endMs: number;
}

/** Which attempts have fallen silent, in lane time. Looks only at what is due, whatever is under a lease. */
export class LeaseWatch<K> {
  private readonly leases = new Map<K, Watched>();
  private readonly due = new Map<number, K[]>();
  private lookedMs: number | null = null;

  /** Begins a lease, or renews it where it runs; `leaseMs` null: for as long as it was last said. */
  beat(key: K, atMs: number, leaseMs: number | null, otherwiseMs: number): void {
    const known = this.leases.get(key);
    const wanted = leaseMs ?? known?.leaseMs ?? otherwiseMs;
    const endMs = Math.max(known?.endMs ?? 0, atMs + wanted);
    this.leases.set(key, { leaseMs: wanted, endMs });
    const step = Math.floor(endMs / STEP_MS);
    const some = this.due.get(step);
    if (some === undefined) this.due.set(step, [key]);
    else if (some.at(-1) !== key) some.push(key);
  }

  has(key: K): boolean {
    return this.leases.has(key);
  }

  over(key: K): void {
    this.leases.delete(key);
  }

  /** What has run out by `nowMs`, each once, with when. */
  expired(nowMs: number): readonly { readonly key: K; readonly endMs: number }[] {
    const first = Math.floor((this.lookedMs ?? nowMs) / STEP_MS);
    const last = Math.floor(nowMs / STEP_MS);
    if (this.lookedMs !== null && first === last) return [];
    this.lookedMs = nowMs;
    const found: { key: K; endMs: number }[] = [];
    for (let step = first; step < last; step += 1) {
      for (const key of this.due.get(step) ?? []) {
        const lease = this.leases.get(key);
        if (lease === undefined || Math.floor(lease.endMs / STEP_MS) !== step) continue;
        this.leases.delete(key);
        found.push({ key, endMs: lease.endMs });
      }
      this.due.delete(step);
    }
    return found;
  }
}
