import { setTimeout as delay } from 'node:timers/promises';
import { quantile } from '../../bench/statistics.js';
import type { Published } from '../../chaos/kafka/topic-reader.js';
import type { Trust, TrustFigure, TrustResult } from '../figure.js';
import { Crew } from '../stage/crew.js';
import { TrustStage, until, withoutBroker } from '../stage/stage.js';
import { KafkaWay } from '../stage/ways.js';

const WORKERS = 200;
const JOBS_OF_WORKER = 100;
const LEASE_MS = 15_000;
const BEAT_EVERY_MS = 5_000;
const REACH_MS = 1_000;
/** The blackout guard steps in at more than 30 % of the workers within one lease: this stays far below. */
const KILL_EVERY_MS = 1_000;

const policy = (graceMs: number): string => `
defaults: {lease: ${String(LEASE_MS)}ms, grace: ${String(graceMs)}ms}
queues:
  many: {actions: act, idempotent: true, fallback: false, heartbeatTransport: kafka, budget: {perSecond: 100000, burst: 100000}}
budget: {perSecond: 100000, burst: 100000}
`;

/** How long it takes until a job of a dead worker is given to another, from when it may be. */
export const detection: TrustFigure = {
  name: 'detection',
  title: `Detection: end of lease plus grace → command on the broker, ${String(WORKERS * JOBS_OF_WORKER)} running jobs`,
  leftOut: withoutBroker,
  run: async (trust) => {
    const graceMs = trust.real ? 15_000 : 2_000;
    const stage = await TrustStage.open({ policy: policy(graceMs) });
    try {
      return await measure(trust, stage, graceMs);
    } finally {
      await stage.close();
    }
  },
};

async function measure({ real, progress }: Trust, stage: TrustStage, graceMs: number): Promise<TrustResult> {
  await stage.startReplica();
  await stage.untilRead();
  const ways = Array.from({ length: 4 }, () => new KafkaWay(stage.broker.brokers));
  const options = { queue: 'many', jobs: JOBS_OF_WORKER, leaseMs: LEASE_MS, beatEveryMs: BEAT_EVERY_MS };
  const crews = Array.from({ length: WORKERS }, (_, i) => new Crew({ ...options, worker: `w${String(i)}` }, ways[i % 4] as KafkaWay));
  try {
    progress('starting the jobs');
    const begunMs = performance.now();
    for (const [i, crew] of crews.entries()) {
      await crew.start();
      // Started all at once, they would all have to be looked at again at once, a lease later.
      await delay(Math.max(0, begunMs + (i * LEASE_MS) / WORKERS - performance.now()));
    }
    await until('all jobs run', async () => (await stage.jobs('processing')) === WORKERS * JOBS_OF_WORKER);
    await delay(real ? 120_000 : BEAT_EVERY_MS);
    const [dead, living] = await killSome(crews, real ? 60 : 12, progress);
    progress('waiting for the commands of the last one');
    const wanted = dead.length * JOBS_OF_WORKER;
    await until('all commands', () => stage.commands.published.length >= wanted, LEASE_MS + graceMs + 30_000).catch(() => undefined);
    const faults = await stage.faultsOfCommands();
    const decided = await decisionsOnTheLiving(stage, dead);
    return told({ graceMs, dead, living, published: stage.commands.published, faults, decided });
  } finally {
    await Promise.all(crews.map((crew) => crew.die()));
    await Promise.all(ways.map((way) => way.close()));
  }
}

/** One after the other, none beside the next: they are spread over the fleet. */
async function killSome(crews: readonly Crew[], kills: number, progress: (text: string) => void): Promise<[Crew[], Crew[]]> {
  const dead = new Set<Crew>();
  const stride = Math.floor(crews.length / kills);
  for (let kill = 0; kill < kills; kill += 1) {
    const crew = crews[kill * stride] as Crew;
    dead.add(crew);
    progress(`killing ${String(kill + 1)} of ${String(kills)}`);
    await crew.die();
    await delay(KILL_EVERY_MS);
  }
  return [[...dead], crews.filter((crew) => !dead.has(crew))];
}

async function decisionsOnTheLiving(stage: TrustStage, dead: readonly Crew[]): Promise<number> {
  const [row] = await stage.database.rows<{ count: string }>(
    `SELECT count(*) FROM jobwarden.events e JOIN jobwarden.jobs j USING (job_key) WHERE e.n IS NOT NULL AND j.job_id <> ALL ($1)`,
    [dead.flatMap((crew) => crew.jobs)],
  );
  return Number(row?.count);
}

interface Found {
  readonly graceMs: number;
  readonly dead: readonly Crew[];
  readonly living: readonly Crew[];
  readonly published: readonly Published[];
  readonly faults: readonly string[];
  readonly decided: number;
}

function told({ graceMs, dead, living, published, faults, decided }: Found): TrustResult {
  const dueMs = new Map(dead.flatMap((crew) => crew.jobs.map((job) => [job, crew.lastBeatMs + LEASE_MS + graceMs] as const)));
  const firsts = new Map<string, number>();
  for (const { message, atMs } of published) if (!firsts.has(message.subject)) firsts.set(message.subject, atMs);
  const took = [...dueMs].flatMap(([job, due]) => {
    const at = firsts.get(job);
    return at === undefined ? [] : [at - due];
  });
  const [p50, p99, most] = [quantile(took, 0.5), quantile(took, 0.99), Math.max(...took)].map(Math.round) as [number, number, number];
  const others = [...firsts.keys()].filter((job) => !dueMs.has(job));
  const late = Math.max(...living.map((crew) => crew.latestMs));
  return {
    method: [
      `One replica; ${String(WORKERS)} workers with ${String(JOBS_OF_WORKER)} jobs each beat every ${String(BEAT_EVERY_MS / 1_000)} s over Kafka, one heartbeat a worker, under leases of ${String(LEASE_MS / 1_000)} s and a`,
      `grace of ${String(graceMs / 1_000)} s. ${String(dead.length)} of them fall silent, one a second, below what the blackout guard at its defaults would hold. From the`,
      'broker’s append time of a worker’s last beat + lease + grace to its append time of each job’s command: one clock. The budget is set so',
      'high that it holds nothing back, and no jitter enters. The workers start within one lease, evenly. Broker, PostgreSQL, service and',
      'workers share the machine.',
    ],
    lines: [
      `p50 ${String(p50)} ms, p99 ${String(p99)} ms, longest ${String(most)} ms, of ${String(took.length)} jobs (reach p99 under ${String(REACH_MS)}: ${p99 < REACH_MS ? 'reached' : 'MISS'})`,
      `the workers’ own beats were at most ${late.toFixed(0)} ms late`,
      ...faults.slice(0, 5),
    ],
    counts: [
      { of: 'jobs of dead workers whose command came', found: took.length, wanted: { exactly: dueMs.size } },
      { of: 'commands before the end of lease and grace', found: took.filter((ms) => ms < 0).length, wanted: { exactly: 0 } },
      { of: 'commands that came twice, or are said to be sent and did not come', found: faults.length, wanted: { exactly: 0 } },
      { of: 'commands for jobs of living workers', found: others.length, wanted: { exactly: 0 } },
      { of: 'decisions on jobs of living workers', found: decided, wanted: { exactly: 0 } },
    ],
  };
}
