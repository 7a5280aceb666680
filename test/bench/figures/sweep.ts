import { randomUUID } from 'node:crypto';
import { Blackouts, decodeEvent, Incidents, Probing, Reconciler, type EventRecord } from '#libs/application';
import { foldJob, stateToJson } from '#libs/domain';
import { PgBlackoutStore, PgDueStore, PgIncidentStore, PgLaneClock, PgProbingStore, PgReconciliationStore, QueueIds } from '#libs/postgres';
import { connectedTo } from '../bench-server.js';
import { counted, wholeReads } from '../checks.js';
import { mark, shown, type Bench, type Count, type Figure, type FigureResult } from '../figure.js';
import { LEASE_MS, LIVE_EVENTS, loadLiveJobs, STARTED_MS } from '../live-jobs.js';
import { openStack, type Stack } from '../stack.js';
import { median } from '../statistics.js';

const DUE = 1_000;
const MAY_GROW_BY = 0.5;
const QUEUES = ['mail', 'invoices', 'thumbnails', 'exports'];
const POLICY = `queues:\n${QUEUES.map((q) => `  ${q}: {actions: act, idempotent: true, grace: 1h}`).join('\n')}\n`;
const EVERY_MS = 1_000;
const GROWING = ['jobs', 'leases', 'verdicts'];

/** A sweep's cost must depend on how many jobs are due, not on how many there are. */
export const sweep: Figure = {
  name: 'sweep',
  title: `A sweep with ${shown(DUE)} jobs due among few and among many live ones`,
  run: async (bench) => {
    const [few, many] = bench.quick ? [8_000, 80_000] : [10_000, 1_000_000];
    return await bench.server.withDatabase({ clock: 'manual' }, async (fewUrl) =>
      await bench.server.withDatabase({ clock: 'manual' }, async (manyUrl) =>
        await measure(bench, { jobs: few, url: fewUrl }, { jobs: many, url: manyUrl })));
  },
};

interface Place {
  readonly jobs: number;
  readonly url: string;
}

async function measure(bench: Bench, few: Place, many: Place): Promise<FigureResult> {
  const rounds = bench.quick ? 3 : 7;
  const sides: Side[] = [];
  try {
    for (const place of [few, many]) {
      bench.progress(`loading ${shown(place.jobs)} live jobs`);
      sides.push(await Side.open(place, rounds + 1));
    }
    for (let round = 0; round <= rounds; round += 1) {
      bench.progress(`round ${String(round)} of ${String(rounds)}`);
      for (const side of sides) await side.sweep(round);
    }
    const counts: Count[] = [];
    for (const side of sides) counts.push(...(await side.check(rounds + 1)));
    const [fewMs = [], manyMs = []] = sides.map((side) => side.tookMs.slice(1));
    return told(few.jobs, many.jobs, fewMs, manyMs, counts);
  } finally {
    for (const side of sides) await side.close();
  }
}

class Side {
  readonly tookMs: number[] = [];
  private decided = 0;

  private constructor(
    private readonly place: Place,
    private readonly stack: Stack,
    private readonly reconciler: Reconciler,
    private readonly readsBefore: number,
  ) {}

  static async open(place: Place, groups: number): Promise<Side> {
    const owner = await openStack(place.url, { poolSize: 1, owner: true });
    const firstDueMs = STARTED_MS + LEASE_MS + 60_000;
    await loadLiveJobs(owner, { ...place, queues: QUEUES, perGroup: DUE, groups, firstDueMs, everyMs: EVERY_MS });
    await owner.database.query('VACUUM (ANALYZE)');
    await owner.close();
    const stack = await openStack(place.url, { poolSize: 4, policy: POLICY });
    const { database, log, policies } = stack;
    const reconciler = new Reconciler({
      due: new PgDueStore(database),
      log,
      clock: new PgLaneClock(database, randomUUID(), 'work'),
      policies,
      runs: new PgReconciliationStore(database),
      blackouts: new Blackouts({
        store: new PgBlackoutStore(database, new QueueIds(database)),
        incidents: new Incidents(new PgIncidentStore(database, new QueueIds(database))),
        policies,
      }),
      probing: new Probing(new PgProbingStore(database), policies),
    });
    return new Side(place, stack, reconciler, await wholeReads(place.url, GROWING));
  }

  /** Lets the next group fall due, and looks until nothing is due any more. */
  async sweep(round: number): Promise<void> {
    const nowMs = STARTED_MS + LEASE_MS + 60_000 + round * EVERY_MS;
    await this.stack.database.query('UPDATE jobwarden.installation SET clock_ms = $1', [nowMs]);
    await connectedTo(this.place.url, async (admin) => await admin.query('CHECKPOINT'));
    const begun = performance.now();
    for (let looked = -1; looked !== 0; ) {
      const run = await this.reconciler.runOnce();
      looked = run.looked;
      this.decided += run.decided;
    }
    this.tookMs.push(performance.now() - begun);
  }

  /** Ends it: what a connection has read is known once it has ended. */
  async check(rounds: number): Promise<readonly Count[]> {
    await this.close();
    const reads = (await wholeReads(this.place.url, GROWING)) - this.readsBefore;
    const owner = await openStack(this.place.url, { poolSize: 1, owner: true });
    try {
      const counts = [
        { of: 'jobs decided', expected: rounds * DUE, found: this.decided },
        { of: 'whole tables read', expected: 0, found: reads },
        ...(await decisions(owner, rounds * DUE)),
      ];
      return counts.map((c) => ({ ...c, of: `among ${shown(this.place.jobs)}: ${c.of}` }));
    } finally {
      await owner.close();
    }
  }

  async close(): Promise<void> {
    await this.stack.close();
  }
}

async function decisions(stack: Stack, due: number): Promise<readonly Count[]> {
  const { database } = stack;
  const requested = `SELECT count(*) FROM jobwarden.jobs WHERE status = 'restart-requested'`;
  return [
    await counted(database, 'decisions in the log', due, 'SELECT count(*) FROM jobwarden.events'),
    await counted(database, 'jobs with a restart requested', due, requested),
    await decidedFolds(stack, due),
  ];
}

/** The rows of the jobs decided, against the fold of what they were loaded with and the log's decisions. */
async function decidedFolds({ database }: Stack, expected: number): Promise<Count> {
  const rows = await database.query<EventRecord & { state: string }>(`
    SELECT j.state, e.type, e.n, e.source, e.id, e.lane_ms AS "laneMs", e.data
    FROM jobwarden.events e JOIN jobwarden.jobs j USING (job_key)`);
  const equal = rows.filter((r) => r.state === stateToJson(foldJob([...LIVE_EVENTS, decodeEvent(r)])));
  return { of: 'of these, rows that equal the fold', expected, found: equal.length };
}

function told(
  few: number,
  many: number,
  fewMs: readonly number[],
  manyMs: readonly number[],
  counts: readonly Count[],
): FigureResult {
  const grewBy = median(manyMs.map((ms, i) => ms / (fewMs[i] ?? Number.NaN))) - 1;
  return {
    method: [
      `${shown(few)} and ${shown(many)} running jobs with their leases, in four queues, loaded straight into the tables of two databases`,
      `with the manual clock; VACUUM (ANALYZE). Each round lets the leases of ${shown(DUE)} jobs end, spread over the whole table, and`,
      'times Reconciler.runOnce until a run finds nothing due: each of them is looked at, decided (restart-requested, level act)',
      'and appended. Rounds alternate between the two; a CHECKPOINT before each; the first is not counted. The growth is the',
      'median over the rounds of (time among many ÷ time among few) − 1.',
    ],
    lines: [
      `grew by ${shown(grewBy * 100)} % from ${shown(few)} to ${shown(many)} live jobs (may grow by ${shown(MAY_GROW_BY * 100)} %: ` +
        `${mark(grewBy <= MAY_GROW_BY)}); ${shown(median(fewMs))} ms among ${shown(few)}, ${shown(median(manyMs))} ms among ${shown(many)}`,
    ],
    values: { grewBy },
    raw: [
      { of: `sweep of ${shown(DUE)} due among ${shown(few)}`, unit: 'ms', values: fewMs },
      { of: `sweep of ${shown(DUE)} due among ${shown(many)}`, unit: 'ms', values: manyMs },
    ],
    counts,
  };
}
