import type { LaneEvent } from '#libs/application';

/** A small world in which jobs come, are run by workers of one release or another, fail, and are tried again. */

export const T0 = 1_700_000_400_000;
export const MINUTE = 60_000;

export interface Ran {
  readonly ms: number;
  readonly error?: { readonly class: string; readonly message: string; readonly code?: string; readonly responseStatus?: number };
  /** The worker dies, with all it runs. */
  readonly dies?: boolean;
}

export interface Run {
  readonly job: string;
  readonly n: number;
  readonly queue: string;
  readonly kind: string;
  readonly attempt: number;
  readonly revision: string;
  readonly worker: string;
  /** Minutes since the beginning. */
  readonly at: number;
  readonly chance: () => number;
}

export interface Play {
  readonly seed?: number;
  readonly minutes?: number;
  readonly perMinute?: (at: number) => number;
  readonly queues?: readonly string[];
  readonly kinds?: readonly string[];
  /** Of a release at a minute: its share of the work, 0 to 1. */
  readonly revisions?: Readonly<Record<string, (at: number) => number>>;
  readonly tracks?: Readonly<Record<string, string>>;
  readonly workers?: number;
  /** Between two heartbeats of a worker, ms. Default 8,000. */
  readonly beatMs?: number;
  /** Before the names of queues and workers, so that several plays are one world. */
  readonly prefix?: string;
  readonly ran: (run: Run) => Ran;
  /** Of a worker's heartbeat. */
  readonly runtime?: (worker: { readonly id: string; readonly revision: string; readonly upMs: number; readonly at: number }) => Readonly<Record<string, unknown>>;
}

export const WELL: Ran = { ms: 800 };
export const MAX_ATTEMPTS = 4;
const LEASE_MS = 20_000;

export function play(p: Play): readonly LaneEvent[] {
  const chance = chances(p.seed ?? 1);
  const endMs = (p.minutes ?? 20) * MINUTE;
  const revisions = p.revisions ?? { v1: () => 1 };
  const prefix = p.prefix ?? '';
  const queues = (p.queues ?? ['mail']).map((queue) => `${prefix}${queue}`);
  const kinds = p.kinds ?? ['welcome', 'invoice'];
  const events: LaneEvent[] = [];
  const due: { atMs: number; run: () => void }[] = [];
  const fleet = new Map<string, { id: string; revision: string; incarnation: number; bornMs: number; held: Map<string, Held> }>();
  const later = (atMs: number, run: () => void) => due.push({ atMs, run });
  const tell = (atMs: number, type: string, subject: string, data: object) =>
    events.push({
      laneMs: T0 + atMs,
      cloudEvent: { specversion: '1.0', id: `${prefix}e${String(events.length)}`, source: 'test', subject, type: `jobwarden.${type}.v1`, data },
    });
  for (const revision of Object.keys(revisions)) {
    for (let i = 0; i < (p.workers ?? 4); i += 1) {
      const id = `${prefix}${revision}-w${String(i)}`;
      fleet.set(id, { id, revision, incarnation: 1, bornMs: 0, held: new Map() });
    }
  }
  const named = (w: { id: string; revision: string; incarnation: number }) => {
    const track = p.tracks?.[w.revision];
    return { id: w.id, incarnation: String(w.incarnation), revision: w.revision, ...(track !== undefined && { track }) };
  };

  const start = (atMs: number, job: Job, attempt: number): void => {
    const at = atMs / MINUTE;
    const shares = Object.entries(revisions).map(([name, share]) => [name, Math.max(0, share(at))] as const);
    let left = chance() * shares.reduce((s, [, share]) => s + share, 0);
    const revision = shares.find(([, share]) => (left -= share) <= 0)?.[0] ?? shares[0]?.[0] ?? '';
    const worker = fleet.get(`${prefix}${revision}-w${String(Math.floor(chance() * (p.workers ?? 4)))}`);
    if (worker === undefined) return;
    const { incarnation } = worker;
    tell(atMs, 'job.started', job.id, { queue: job.queue, attempt, worker: named(worker), leaseMs: LEASE_MS });
    worker.held.set(job.id, { queue: job.queue, id: job.id, attempt, job });
    const outcome = p.ran({ job: job.id, n: job.n, queue: job.queue, kind: job.kind, attempt, revision, worker: worker.id, at, chance });
    later(atMs + outcome.ms * (0.7 + 0.6 * chance()), () => {
      if (worker.incarnation !== incarnation) return;
      const nowMs = current;
      if (outcome.dies === true) {
        for (const held of worker.held.values()) later(nowMs + LEASE_MS + 22_000 + 12_000 * chance(), () => retry(current, held.job, held.attempt));
        worker.held.clear();
        worker.incarnation += 1;
        worker.bornMs = nowMs + 8_000;
        return;
      }
      worker.held.delete(job.id);
      const base = { queue: job.queue, attempt, worker: named(worker), durationMs: Math.round(nowMs - atMs) };
      if (outcome.error === undefined) tell(nowMs, 'job.succeeded', job.id, base);
      else {
        tell(nowMs, 'job.failed', job.id, { ...base, error: outcome.error });
        later(nowMs + 5_000 * 2 ** attempt, () => retry(current, job, attempt));
      }
    });
  };
  const retry = (atMs: number, job: Job, attempt: number): void => {
    if (attempt < MAX_ATTEMPTS) start(atMs, job, attempt + 1);
  };

  let jobs = 0;
  const arrive = (): void => {
    const atMs = current;
    jobs += 1;
    const job: Job = { id: `j${String(jobs)}`, n: jobs, queue: queues[jobs % queues.length] ?? '', kind: kinds[Math.floor(chance() * kinds.length)] ?? '' };
    tell(atMs, 'job.queued', job.id, { queue: job.queue, kind: job.kind });
    later(atMs + 200, () => start(current, job, 1));
    const perMinute = p.perMinute?.(atMs / MINUTE) ?? 60;
    later(atMs + (MINUTE / perMinute) * (0.5 + chance()), arrive);
  };
  for (const worker of fleet.values()) {
    const beat = (): void => {
      const atMs = current;
      later(atMs + (p.beatMs ?? 8_000), beat);
      const share = revisions[worker.revision]?.(atMs / MINUTE) ?? 0;
      if (worker.bornMs > atMs || share <= 0) return;
      const runtime = p.runtime?.({ id: worker.id, revision: worker.revision, upMs: atMs - worker.bornMs, at: atMs / MINUTE });
      const held = [...worker.held.values()].map(({ queue, id, attempt }) => ({ queue, id, attempt }));
      tell(atMs, 'worker.heartbeat', worker.id, { worker: named(worker), jobs: held, ...(runtime !== undefined && { runtime }) });
    };
    later(chance() * 8_000, beat);
  }
  later(0, arrive);
  let current = 0;
  while (due.length > 0) {
    let first = 0;
    for (let i = 1; i < due.length; i += 1) if ((due[i]?.atMs ?? 0) < (due[first]?.atMs ?? 0)) first = i;
    const [next] = due.splice(first, 1);
    if (next === undefined || next.atMs >= endMs) continue;
    current = Math.round(next.atMs);
    next.run();
  }
  return events;
}

interface Job {
  readonly id: string;
  readonly n: number;
  readonly queue: string;
  readonly kind: string;
}

interface Held {
  readonly queue: string;
  readonly id: string;
  readonly attempt: number;
  readonly job: Job;
}

/** Numbers below 1 that look random, the same for a seed. */
function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The last ten minutes of twenty. */
export const LAST_TEN = { fromMs: T0 + 10 * MINUTE, toMs: T0 + 20 * MINUTE };
