import { setTimeout as delay } from 'node:timers/promises';
import { TopicEmitter } from '../../chaos/kafka/topic-emitter.js';
import { TopicReader } from '../../chaos/kafka/topic-reader.js';
import { Load, POLICY } from '../../chaos/load.js';
import { untilQuiet } from '../../chaos/run.js';
import { counted, lostEvents, standing, type Counted } from '../../chaos/verify.js';
import type { Trust, TrustFigure, TrustResult } from '../figure.js';
import { EVENTS, PREFIX, TrustStage, withoutBroker } from '../stage/stage.js';

const REPLICAS = 3;
const OLD_MS = 10_000;
const JOBS_PER_SECOND = 25;

/** Due is what the plan says, also while something holds it, and however often it was looked at meanwhile. */
const OLDEST = `
SELECT coalesce(max(jobwarden.lane_now() - coalesce(held_since_ms, look_at_ms)), 0) AS oldest,
       count(*) FILTER (WHERE jobwarden.lane_now() - coalesce(held_since_ms, look_at_ms) > ${String(OLD_MS)}) AS old
FROM jobwarden.jobs WHERE look_at_ms IS NOT NULL`;

/** Replicas that are killed one after the other double nothing, and leave nothing lying. */
export const replicas: TrustFigure = {
  name: 'replicas',
  title: `Replicas: ${String(REPLICAS)} on Kafka, one killed with -9 and started again all the time, while leases are lost`,
  leftOut: withoutBroker,
  run: async (trust) => {
    // Somebody who was killed leaves nothing behind to say so.
    const stage = await TrustStage.open({ policy: POLICY, env: { JOBWARDEN_KAFKA_SESSION_TIMEOUT: '3s' } });
    try {
      return await measure(trust, stage);
    } finally {
      await stage.close();
    }
  },
};

async function measure({ real, progress }: Trust, stage: TrustStage): Promise<TrustResult> {
  const everyMs = real ? 20_000 : 5_000;
  const kills = real ? 30 : 6;
  for (let i = 0; i < REPLICAS; i += 1) await stage.startReplica();
  await stage.untilRead();
  const [loadEnd, ending] = [new AbortController(), new AbortController()];
  const emitter = new TopicEmitter(stage.broker.brokers, EVENTS, ending.signal);
  await emitter.connect();
  const load = new Load(emitter, loadEnd.signal, JOBS_PER_SECOND);
  // What the workers take, by a reader of their own.
  const taken = new TopicReader(stage.broker.brokers, `${PREFIX}commands`, (message) => {
    load.take(message);
  });
  await taken.start();
  const lag = new LagWatch(stage);
  try {
    const running = load.run();
    await delay(everyMs);
    lag.start();
    for (let kill = 0; kill < kills; kill += 1) {
      const begunMs = performance.now();
      progress(`killing ${String(kill + 1)} of ${String(kills)}; the oldest due job was ${String(lag.oldestMs)} ms old`);
      await stage.replicas[kill % REPLICAS]?.kill();
      await stage.replicas[kill % REPLICAS]?.startAgain();
      await delay(Math.max(0, begunMs + everyMs - performance.now()));
    }
    await lag.stop();
    loadEnd.abort();
    await running;
    progress('waiting until nothing is under way');
    const open = await untilQuiet(stage.database.url, load, 60_000);
    const found = await stage.database.with(async (client) => [...(await lostEvents(client, emitter.acknowledged)), ...(await standing(client))]);
    const faults = await stage.faultsOfCommands();
    return told({ everyMs, kills, lag, open: [...open, ...found], faults, totals: await counted(stage.database.url) });
  } finally {
    loadEnd.abort();
    ending.abort();
    await lag.stop();
    await Promise.allSettled([taken.close(), emitter.close()]);
  }
}

/** Looks five times a second how long the job that has been due longest has been so. */
class LagWatch {
  oldestMs = 0;
  looks = 0;
  /** Looks at which some job had been due for longer than it may. */
  oldSeen = 0;
  private readonly ending = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly stage: TrustStage) {}

  start(): void {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    await this.stage.database.with(async (client) => {
      while (!this.ending.signal.aborted) {
        const { rows } = await client.query<{ oldest: string; old: string }>(OLDEST);
        this.looks += 1;
        this.oldestMs = Math.max(this.oldestMs, Number(rows[0]?.oldest));
        if (rows[0]?.old !== '0') this.oldSeen += 1;
        await delay(200, undefined, { signal: this.ending.signal }).catch(() => undefined);
      }
    });
  }
}

interface Found {
  readonly everyMs: number;
  readonly kills: number;
  readonly lag: LagWatch;
  readonly open: readonly string[];
  readonly faults: readonly string[];
  readonly totals: Counted;
}

function told({ everyMs, kills, lag, open, faults, totals }: Found): TrustResult {
  return {
    method: [
      `${String(REPLICAS)} replicas; every ${String(everyMs / 1_000)} s one gets SIGKILL and is started again at once${everyMs < 20_000 ? ' (a twentieth of 20 s would leave it no time to start)' : ''}. ${String(JOBS_PER_SECOND)} jobs a second begin, and`,
      'half of their attempts fall silent under leases of 2 s. Due is what the plan says, also while something holds it, such as a',
      'partition that nobody reads; looked at in the database five times a second. The session of a reader is 3 s: at the default of 30 s a',
      'killed one’s partitions would lie unread for as long, and every verdict would rightly wait for them.',
    ],
    lines: [
      `${String(kills)} kills, ${String(totals.lost)} leases lost, ${String(totals.commands)} commands of ${String(totals.jobs)} jobs; the oldest due job was ${String(lag.oldestMs)} ms old, of ${String(lag.looks)} looks`,
      ...[...faults, ...open].slice(0, 5),
    ],
    counts: [
      { of: 'leases lost', found: totals.lost, wanted: { atLeast: 100 } },
      { of: 'commands doubled, or said to be sent and not there', found: faults.length, wanted: { exactly: 0 } },
      { of: `looks at which a job had been due for over ${String(OLD_MS / 1_000)} s`, found: lag.oldSeen, wanted: { exactly: 0 } },
      { of: 'events lost, jobs still open, commands without a decision', found: open.length, wanted: { exactly: 0 } },
    ],
  };
}
