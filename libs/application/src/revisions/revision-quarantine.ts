import type { JobRef, Worker } from '#libs/domain';
import type { LaneClock } from '../ports/lane-clock.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { RefusalChange, RefusedList, RefusedRevision, RefusedRevisionStore, RevisionReads, RevisionScope } from '../ports/refused-revision-store.port.js';
import type { RunAt } from '../ports/run-store.port.js';
import type { RevisionGate } from '../ports/revision-gate.port.js';
import { liveOf } from './live-leases.js';

type QueueName = Pick<JobRef, 'namespace' | 'queue'>;

export interface RevisionQuarantineParts {
  readonly store: RefusedRevisionStore;
  readonly reads: Pick<RevisionReads, 'held'>;
  readonly policies: Pick<PolicySource, 'policyFor'>;
  readonly clock: Pick<LaneClock, 'read'>;
  /** Monotonic, ms. */
  readonly nowMs: () => number;
}

/** How a quarantine stands in the whole installation. */
export interface QuarantineStanding {
  /** It stands, and every live replica that grants claims goes by it: none was granted since, and none will be. */
  readonly refusedEverywhere: boolean;
  /** Attempts of the revision whose leases still run: what was begun before goes on. */
  readonly liveLeases: number;
}

/**
 * Releases of workers that are out of service, of one queue or of a namespace:
 *
 *   admitted ──set──► refused ──lift──► admitted      refused: no claim is granted to a worker that names the revision, and
 *                                                     workers that ask learn of it; what they have begun goes on
 *
 * Answers come from memory; `refresh` brings in what other replicas have set. Call it every second or so, on every replica.
 *
 * "Refused everywhere" is proved: each replica tells with its beat which version of the list it goes by, and a claim that
 * was begun under an older one holds that back until it has been answered. A replica that was stopped for a while reads the
 * list before it grants anything again; one that was stopped in the middle of a claim finds the newer version in the claim's
 * own transaction.
 *
 * Not guaranteed: a worker that names no revision is never refused, and one that begins without asking is only told.
 */
export class RevisionQuarantine implements RevisionGate {
  private list: RefusedList = { version: 0, standing: [] };
  private byRevision: ReadonlyMap<string, readonly RefusedRevision[]> = new Map();
  private readAtMs = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | null = null;
  private readonly underWay = new Map<symbol, number>();

  constructor(private readonly parts: RevisionQuarantineParts) {}

  refuses(queue: QueueName, { revision }: Worker): boolean {
    return revision !== undefined && this.of(queue, revision) !== null;
  }

  /** What refuses the revision in this queue; null: nothing does. */
  of(queue: QueueName, revision: string): RefusedRevision | null {
    return this.byRevision.get(revision)?.find((refusal) => covers(refusal, queue)) ?? null;
  }

  /** Revisions that are refused in this queue, in order. */
  refusedOf(queue: QueueName): readonly string[] {
    if (this.list.standing.length === 0) return [];
    return [...new Set(this.list.standing.filter((refusal) => covers(refusal, queue)).map(({ revision }) => revision))].sort();
  }

  /** Everything that stands in a namespace, as this replica knows it. */
  standingIn(namespace: string): readonly RefusedRevision[] {
    return this.list.standing.filter((refusal) => refusal.namespace === namespace);
  }

  get version(): number {
    return this.list.version;
  }

  /** By which version every claim that is not answered yet, and every later one, is decided: what a beat may say. */
  get goesBy(): number {
    return Math.min(this.list.version, ...this.underWay.values());
  }

  /** Decides something by the list. Reads it first where it was not read for long. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.parts.nowMs() - this.readAtMs > STALE_MS) await this.refresh();
    const key = Symbol('decision');
    this.underWay.set(key, this.list.version);
    try {
      return await work();
    } finally {
      this.underWay.delete(key);
    }
  }

  async refresh(): Promise<void> {
    this.reading ??= this.readNow().finally(() => {
      this.reading = null;
    });
    await this.reading;
  }

  /** Idempotent: what stands already keeps its first reason. */
  async set(change: Omit<RefusalChange, 'incidentId'> & { readonly incidentId?: string }): Promise<{ readonly refusal: RefusedRevision; readonly changed: boolean }> {
    const done = await this.parts.store.set({ ...change, incidentId: change.incidentId ?? null });
    await this.readNow();
    return done;
  }

  /** For a run, as long as that is as it was judged: what a person has let in again since its end stays in. */
  async setFor(run: RunAt, change: Omit<RefusalChange, 'incidentId'>): Promise<void> {
    await this.parts.store.setFor(run, change);
    await this.readNow();
  }

  /** null: nothing of just this scope stands. */
  async lift(change: Omit<RefusalChange, 'incidentId'>): Promise<RefusedRevision | null> {
    const lifted = await this.parts.store.lift(change);
    await this.readNow();
    return lifted;
  }

  /** Reads it anew: whoever waits for it asks again. */
  async standing(scope: RevisionScope): Promise<QuarantineStanding> {
    const { store, reads, policies, clock } = this.parts;
    const [{ standing }, least, held, reading] = await Promise.all([store.read(), store.leastRead(), reads.held(scope), clock.read()]);
    const by = standing.filter((refusal) => coversScope(refusal, scope)).map(({ version }) => version);
    const refusedEverywhere = by.length > 0 && least !== null && least >= Math.min(...by);
    return { refusedEverywhere, liveLeases: liveOf(held, scope.revision, policies, reading) };
  }

  private async readNow(): Promise<void> {
    const list = await this.parts.store.read();
    this.readAtMs = this.parts.nowMs();
    // Two reads may overtake each other: the list goes forward only.
    if (list.version < this.list.version) return;
    this.list = list;
    this.byRevision = Map.groupBy(list.standing, ({ revision }) => revision);
  }
}

/** Several refreshes late: this replica was stopped, or could not read. */
const STALE_MS = 5_000;

function covers(refusal: RevisionScope, { namespace, queue }: QueueName): boolean {
  return refusal.namespace === namespace && (refusal.queue === null || refusal.queue === queue);
}

function coversScope(refusal: RevisionScope, { namespace, queue, revision }: RevisionScope): boolean {
  return refusal.revision === revision && refusal.namespace === namespace && (refusal.queue === null || refusal.queue === queue);
}
