import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { FAILPOINT_WINDOWS, type FailpointWindow } from '#libs/application';
import { startEmbeddedPostgres } from '#libs/embedded-postgres';
import { freePort, kafkaClient, serverEntry, startBroker } from '#libs/testing';
import { Load, POLICY } from '../load.js';
import { audited, generator, newDatabase, untilLost, untilQuiet, type ChaosOptions, type ChaosReport } from '../run.js';
import { counted, doubledCommands, lostEvents, standing } from '../verify.js';
import { Victim } from '../victim.js';
import { sendBulk } from './bulk.js';
import { TopicEmitter } from './topic-emitter.js';
import { TopicReader } from './topic-reader.js';
import { commandsBeforeInvalidations, notInTheirTopic, outOfOrder, requeuesWithKeys } from './verify.js';

export interface KafkaChaosOptions extends ChaosOptions {
  /** Events of the bulk, besides those of the jobs that fall due all the time. */
  readonly events: number;
  /** Of the bulk, a second. */
  readonly eventsPerSecond: number;
  readonly replicas: number;
}

export interface KafkaChaosReport extends ChaosReport {
  /** Records of the command topic, and those of them that name an invalidation. */
  readonly published: { readonly commands: number; readonly withInvalidation: number };
}

const PREFIX = 'chaos.';

/** Kills replicas in their windows while events come and commands go over a real broker; then looks at what is left. */
export async function runKafkaChaos(options: KafkaChaosOptions): Promise<KafkaChaosReport> {
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-chaos-'));
  const [postgres, broker] = await Promise.all([
    startEmbeddedPostgres({ dataDir: join(folder, 'data') }),
    startBroker(),
  ]);
  const databaseUrl = await newDatabase(postgres.adminUrl);
  const config = join(folder, 'policy.yaml');
  writeFileSync(config, POLICY);
  const victims = await replicasOf(options, { databaseUrl, config, folder, brokers: broker.brokers });
  const loadEnd = new AbortController();
  const end = new AbortController();
  const emitter = new TopicEmitter(broker.brokers, `${PREFIX}events`, end.signal);
  const load = new Load(emitter, loadEnd.signal, options.jobsPerSecond);
  const commands = new TopicReader(broker.brokers, `${PREFIX}commands`, (m) => {
    load.take(m);
  });
  const invalidations = new TopicReader(broker.brokers, `${PREFIX}invalidations`);
  try {
    await Promise.all(victims.map((victim) => victim.start(null)));
    await topicsAreThere(broker.brokers);
    await emitter.connect();
    await Promise.all([commands.start(), invalidations.start()]);
    const running = Promise.all([load.run(), sendBulk(emitter, options.events, options.eventsPerSecond, end.signal)]);
    const kills = await killAll(victims, options);
    await Promise.all(
      victims.map(async (victim) => {
        if (victim.alive) await victim.stop();
        await victim.start(null);
      }),
    );
    await untilLost(databaseUrl, options);
    loadEnd.abort();
    await running;
    const read = await untilRead(databaseUrl, emitter.acknowledged.size, options.quietMs ?? 180_000);
    const open = [...read, ...(await untilQuiet(databaseUrl, load, options.quietMs ?? 180_000))];
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const findings = [
      ...open,
      ...(await lostEvents(client, emitter.acknowledged)),
      ...(await standing(client)),
      ...(await notInTheirTopic(client, ['enqueue', 'stop'], commands)),
      ...(await notInTheirTopic(client, ['invalidation'], invalidations)),
      ...doubledCommands(commands.messages),
      ...commandsBeforeInvalidations(commands.published, invalidations.published),
      ...outOfOrder(commands.published),
      ...audited(databaseUrl, folder),
    ];
    await client.end();
    end.abort();
    for (const victim of victims) await victim.stop();
    return {
      kills,
      findings,
      acknowledged: emitter.acknowledged.size,
      counted: await counted(databaseUrl),
      published: { commands: commands.published.length, withInvalidation: requeuesWithKeys(commands.published) },
    };
  } finally {
    loadEnd.abort();
    end.abort();
    for (const victim of victims) victim.kill();
    await Promise.allSettled([commands.close(), invalidations.close(), emitter.close()]);
    await Promise.allSettled([postgres.stop(), broker.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function replicasOf(
  options: KafkaChaosOptions,
  where: { readonly databaseUrl: string; readonly config: string; readonly folder: string; readonly brokers: string },
): Promise<Victim[]> {
  const { brokers, ...common } = where;
  const victims: Victim[] = [];
  for (let i = 0; i < options.replicas; i += 1) {
    victims.push(
      new Victim({
        ...common,
        entry: options.entry ?? serverEntry,
        port: await freePort(),
        name: `window-${String(i)}`,
        env: {
          JOBWARDEN_KAFKA_BROKERS: brokers,
          JOBWARDEN_TOPIC_PREFIX: PREFIX,
          JOBWARDEN_KAFKA_PARTITIONS: '6',
          JOBWARDEN_KAFKA_REPLICATION: '1',
          // Somebody who was killed leaves nothing behind to say so.
          JOBWARDEN_KAFKA_SESSION_TIMEOUT: '3s',
        },
      }),
    );
  }
  return victims;
}

async function topicsAreThere(brokers: string): Promise<void> {
  const admin = kafkaClient(brokers).admin();
  await admin.connect();
  try {
    const deadline = Date.now() + 60_000;
    for (;;) {
      const topics = new Set(await admin.listTopics());
      if (['events', 'commands', 'invalidations'].every((topic) => topics.has(`${PREFIX}${topic}`))) return;
      if (Date.now() > deadline) throw new Error(`the service did not make its topics: ${[...topics].join(', ')}`);
      await delay(100);
    }
  } finally {
    await admin.disconnect();
  }
}

/** All replicas are armed, each for a window of its own; whoever dies comes back armed, and meanwhile the others go on. */
async function killAll(victims: readonly Victim[], options: KafkaChaosOptions): Promise<Record<FailpointWindow, number>> {
  const kills = Object.fromEntries(FAILPOINT_WINDOWS.map((w) => [w, 0])) as Record<FailpointWindow, number>;
  const armed = new Map<Victim, FailpointWindow>();
  const windows = options.windows ?? FAILPOINT_WINDOWS;
  const random = generator(options.seed ?? 1);
  const wanted = options.killsPerWindow * windows.length;
  const open = (): FailpointWindow | undefined => {
    const planned = (w: FailpointWindow): number => kills[w] + [...armed.values()].filter((a) => a === w).length;
    const short = windows.filter((w) => planned(w) < options.killsPerWindow);
    return short.sort((a, b) => planned(a) - planned(b))[0];
  };
  let tries = 0;
  await Promise.all(
    victims.map(async (victim) => {
      for (let window = open(); window !== undefined; window = open()) {
        tries += 1;
        if (tries > wanted * 3) throw new Error(`a window is hardly reached: ${JSON.stringify(kills)}`);
        armed.set(victim, window);
        if (victim.alive) await victim.stop();
        await victim.start({ window, pass: 1 + Math.floor(random() * 20) });
        const died = await victim.death(30_000);
        armed.delete(victim);
        if (died === null) continue;
        kills[died] += 1;
        const done = Object.values(kills).reduce((sum, count) => sum + count, 0);
        options.print(`${String(done)}/${String(wanted)} killed in ${died}`);
      }
    }),
  );
  return kills;
}

/** Everything that the broker acknowledged is in the log; what is missing at the deadline is a finding. */
async function untilRead(databaseUrl: string, wanted: number, withinMs: number): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const deadline = Date.now() + withinMs;
    for (;;) {
      const { rows } = await client.query<{ count: string }>(`SELECT count(*) FROM jobwarden.events WHERE source = 'chaos'`);
      if (Number(rows[0]?.count) >= wanted) return [];
      if (Date.now() > deadline) return [`${rows[0]?.count ?? '?'} of ${String(wanted)} acknowledged events were read`];
      await delay(500);
    }
  } finally {
    await client.end();
  }
}
