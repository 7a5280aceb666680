import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ClaimJob, EVERY_REVISION, QueueGates } from '#libs/application';
import { PgClaimReads, PgLaneClock, PgQueueGateStore, pgReadModels } from '#libs/postgres';
import { connect } from '../bench-server.js';
import { counted } from '../checks.js';
import { mark, shown, type Bench, type Figure, type FigureResult } from '../figure.js';
import { JobLoad } from '../job-load.js';
import { allAppended, itemOf, openStack, type Stack } from '../stack.js';
import { quantile } from '../statistics.js';

const EVENTS_PER_SECOND = 800;
const TURN_MS = 50;
const AT_MOST = 2;
const QUEUE = 'claimed';
const WORKER = { id: 'bench' };

/** A report that is left open keeps every dead row: claims must not have to wade through them. */
export const heldSnapshot: Figure = {
  name: 'held-snapshot',
  title: `Claims beside ${shown(EVENTS_PER_SECOND)} events/s, while a REPEATABLE READ transaction is held open`,
  run: async (bench) => await bench.server.withDatabase({}, async (url) => await measure(bench, url)),
};

async function measure(bench: Bench, url: string): Promise<FigureResult> {
  const seconds = bench.quick ? 10 : 60;
  const stack = await openStack(url, { poolSize: 8 });
  const holder = await connect(url);
  const claimants = new Claimants(stack);
  try {
    bench.progress('warming up');
    await claimants.during(Math.ceil(seconds / 3));
    bench.progress(`${String(seconds)} s without a snapshot`);
    const free = await claimants.during(seconds);
    await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await holder.query('SELECT count(*) FROM jobwarden.jobs');
    bench.progress(`${String(seconds)} s with one`);
    const held = await claimants.during(seconds);
    const granted = `SELECT count(*) FROM jobwarden.events WHERE source = 'jobwarden' AND id LIKE 'claim/%'`;
    const counts = [await counted(stack.database, 'claims in the log', claimants.made, granted)];
    return { ...told(seconds, free, held), counts };
  } finally {
    await holder.end();
    await stack.close();
  }
}

/** One job after the other is queued and claimed, while others are told of at an even rate. */
class Claimants {
  made = 0;
  private readonly load = new JobLoad({ seed: 3, underWay: 2_000 });
  private readonly claims: ClaimJob;

  constructor(private readonly stack: Stack) {
    const { database, log, policies, queueIds } = stack;
    this.claims = new ClaimJob({
      ...{ log, policies, revisions: EVERY_REVISION },
      clock: new PgLaneClock(database, randomUUID(), 'api'),
      gates: new QueueGates(new PgQueueGateStore(database, queueIds)),
      reads: new PgClaimReads(database),
      retired: pgReadModels(database).jobs,
    });
  }

  /** How long each claim took, ms. */
  async during(seconds: number): Promise<readonly number[]> {
    const endMs = performance.now() + seconds * 1_000;
    const tookMs: number[] = [];
    const telling = this.tell(endMs);
    while (performance.now() < endMs) {
      tookMs.push(await this.claim());
      await delay(10);
    }
    await telling;
    return tookMs;
  }

  /** A turn that took too long is not made up for: what is asked for is the same load on both sides. */
  private async tell(endMs: number): Promise<void> {
    for (let turnMs = performance.now(); turnMs < endMs; turnMs += TURN_MS) {
      const events = this.load.take((EVENTS_PER_SECOND * TURN_MS) / 1_000);
      allAppended(await this.stack.writer.append(events.map((e) => itemOf(e, this.stack.context))));
      await delay(Math.max(0, turnMs + TURN_MS - performance.now()));
    }
  }

  private async claim(): Promise<number> {
    this.made += 1;
    const id = `claimed-${String(this.made)}`;
    const queued = { id, source: 'bench', subject: id, type: 'jobwarden.job.queued.v1', data: { queue: QUEUE } };
    allAppended(await this.stack.writer.append([itemOf({ specversion: '1.0', ...queued }, this.stack.context)]));
    const begun = performance.now();
    const answer = await this.claims.claim({ namespace: 'default', queue: QUEUE, id }, { claimId: id, worker: WORKER });
    if (answer.kind !== 'granted') throw new Error(`a claim was not granted: ${JSON.stringify(answer)}`);
    return performance.now() - begun;
  }
}

function told(seconds: number, free: readonly number[], held: readonly number[]): Omit<FigureResult, 'counts'> {
  const [freeP95, heldP95] = [quantile(free, 0.95), quantile(held, 0.95)];
  const ratio = heldP95 / freeP95;
  return {
    method: [
      `One database; ${shown(EVENTS_PER_SECOND)} events/s of jobs in every state, and beside them one job after the other queued and claimed.`,
      `${String(seconds)} s so, then ${String(seconds)} s with a transaction of another session that has read the jobs and keeps its snapshot.`,
      'A claim is timed from the call to its commit. The ratio is of two 95th percentiles of one run.',
    ],
    lines: [
      `claims, p95: ${shown(freeP95, 1)} ms without, ${shown(heldP95, 1)} ms with the snapshot held (${shown(free.length)} and ${shown(held.length)} claims)`,
      `ratio ${shown(ratio, 2)} (at most ${String(AT_MOST)}: ${mark(ratio <= AT_MOST)})`,
    ],
    values: { freeP95Ms: freeP95, heldP95Ms: heldP95, ratio },
    raw: [
      { of: 'claims without a snapshot held', unit: 'ms', values: free },
      { of: 'claims with one', unit: 'ms', values: held },
    ],
  };
}
