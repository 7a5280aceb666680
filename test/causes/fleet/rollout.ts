import type { Fleet } from './fleet.js';
import type { Pool } from './terrain.js';

export interface Rollout {
  readonly pool: Pool;
  readonly to: string;
  /** `rolling`: one worker after the other; `recreate`: all at once; `canary`: a tenth, and no further. */
  readonly how: 'rolling' | 'recreate' | 'canary';
  readonly beginMs: number;
  /** From the first new worker to the last. */
  readonly takesMs: number;
  /** The new workers say their revision, whatever others do. */
  readonly sure?: boolean;
}

/** A new release comes: new workers are started, old ones are drained. */
export function rollOut(fleet: Fleet, { pool, to, how, beginMs, takesMs, sure = false }: Rollout): void {
  const count = how === 'canary' ? Math.max(1, Math.round(pool.replicas / 10)) : pool.replicas;
  for (let i = 0; i < count; i += 1) {
    const atMs = beginMs + (how === 'rolling' && count > 1 ? (takesMs * i) / (count - 1) : 0);
    fleet.agenda.at(atMs, () => {
      const old = fleet.live(pool).find((worker) => worker.revision !== to);
      if (old !== undefined) fleet.retire(old);
      fleet.spawn(pool, to, { sure, ...(how === 'canary' && { track: 'canary' }) });
    });
  }
}
