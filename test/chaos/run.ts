import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { FailpointWindow } from '#libs/application';
import { WINDOWS } from './windows.js';
import { startEmbeddedPostgres } from '#libs/embedded-postgres';
import { bareEnv, cliEntry, freePort, serverEntry } from '#libs/testing';
import { Emitter } from './emitter.js';
import { Load, POLICY } from './load.js';
import { Subscriber } from './subscriber.js';
import { counted, findings, type Counted } from './verify.js';
import { Victim } from './victim.js';

export interface ChaosOptions {
  readonly killsPerWindow: number;
  readonly jobsPerSecond: number;
  /** Default: the shipped service. */
  readonly entry?: string;
  /** Default: all. */
  readonly windows?: readonly FailpointWindow[];
  /** Seed of the passes after which a window kills. */
  readonly seed?: number;
  /** How long it may take until nothing is open any more, ms. Default two minutes. */
  readonly quietMs?: number;
  /** The load goes on until this many leases were lost, though the kills are done. */
  readonly minLost?: number;
  readonly print: (line: string) => void;
}

export interface ChaosReport {
  readonly kills: Readonly<Record<FailpointWindow, number>>;
  readonly findings: readonly string[];
  readonly acknowledged: number;
  readonly counted: Counted;
}

/** Kills the service in its windows, under load, on one database that lives on; then looks at what is left. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-chaos-'));
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data') });
  const databaseUrl = await newDatabase(postgres.adminUrl);
  const config = join(folder, 'policy.yaml');
  writeFileSync(config, POLICY);
  const victim = new Victim({ entry: options.entry ?? serverEntry, databaseUrl, config, port: await freePort(), folder });
  const loadEnd = new AbortController();
  const end = new AbortController();
  try {
    await victim.start(null);
    const emitter = new Emitter(() => victim.url, end.signal);
    const load = new Load(emitter, loadEnd.signal, options.jobsPerSecond);
    const subscriber = new Subscriber(`${victim.url}/v1/streams/commands?from=start`, end.signal, (m) => {
      load.take(m);
    });
    const running = load.run();
    await delay(1_000);
    await victim.stop();
    const kills = await killAll(victim, options);
    await victim.start(null);
    await untilLost(databaseUrl, options);
    loadEnd.abort();
    await running;
    const open = await untilQuiet(databaseUrl, load, options.quietMs ?? 120_000);
    const found = [...open, ...(await findings(databaseUrl, emitter, subscriber)), ...audited(databaseUrl, folder)];
    end.abort();
    await subscriber.ended();
    await victim.stop();
    return { kills, findings: found, acknowledged: emitter.acknowledged.size, counted: await counted(databaseUrl) };
  } finally {
    loadEnd.abort();
    end.abort();
    victim.kill();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function killAll(victim: Victim, options: ChaosOptions): Promise<Record<FailpointWindow, number>> {
  const kills: Record<FailpointWindow, number> = { 'append/commit': 0, 'commit/offset': 0, 'commit/publish': 0, 'publish/checkpoint': 0 };
  const windows = options.windows ?? WINDOWS;
  const random = generator(options.seed ?? 1);
  const wanted = options.killsPerWindow * windows.length;
  for (let done = 0, tries = 0; done < wanted; tries += 1) {
    const window = windows.filter((w) => kills[w] < options.killsPerWindow)[tries % windows.length] ?? windows.find((w) => kills[w] < options.killsPerWindow);
    if (window === undefined) break;
    await victim.start({ window, pass: 1 + Math.floor(random() * 40) });
    const died = await victim.death(20_000);
    if (died === null) await victim.stop();
    else {
      kills[died] += 1;
      done += 1;
      options.print(`${String(done)}/${String(wanted)} killed in ${died}`);
    }
    if (tries > wanted * 3) throw new Error(`a window is hardly reached: ${JSON.stringify(kills)}`);
  }
  return kills;
}

export async function untilLost(databaseUrl: string, options: Pick<ChaosOptions, 'minLost'>): Promise<void> {
  const deadline = Date.now() + 600_000;
  while ((await counted(databaseUrl)).lost < (options.minLost ?? 0)) {
    if (Date.now() > deadline) throw new Error('too few leases were lost');
    await delay(1_000);
  }
}

/** Waits until nothing is under way, due or on its way out; what is still open at the deadline is a finding. */
export async function untilQuiet(databaseUrl: string, load: Pick<Load, 'settled'>, withinMs: number): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const deadline = Date.now() + withinMs;
    for (;;) {
      await load.settled();
      const { rows } = await client.query<{ open: string }>(`
        SELECT (SELECT count(*) FROM jobwarden.jobs WHERE look_at_ms IS NOT NULL)
             + (SELECT count(*) FROM jobwarden.events e JOIN jobwarden.publishers p USING (shard)
                WHERE e.goes_out AND e.number > p.checkpoint) AS open`);
      if (rows[0]?.open === '0') return [];
      if (Date.now() > deadline) return [`${rows[0]?.open ?? '?'} jobs and messages are still open`];
      await delay(200);
    }
  } finally {
    await client.end();
  }
}

/** Every row equals its fold: by the shipped command, or by that of another release. */
export function audited(databaseUrl: string, folder: string, release: NodeJS.ProcessEnv = {}): string[] {
  const run = spawnSync(process.execPath, [cliEntry, 'audit', '--json'], {
    encoding: 'utf8',
    env: { ...bareEnv(), HOME: folder, JOBWARDEN_DATABASE_URL: databaseUrl, ...release },
  });
  return run.status === 0 ? [] : [`audit ended with ${String(run.status)}: ${run.stdout.slice(0, 500)}${run.stderr.slice(0, 500)}`];
}

export async function newDatabase(adminUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query('CREATE DATABASE chaos');
  await client.end();
  const url = new URL(adminUrl);
  url.pathname = '/chaos';
  return url.href;
}

/** A small generator with a seed (mulberry32): a run can be repeated. */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
