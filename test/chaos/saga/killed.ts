import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { SimulatedPool } from '#libs/orchestrators';
import { simulatedPool } from '#libs/orchestrators';
import { Victim } from '../victim.js';

export interface KilledRun {
  /** Behind which step, or which act, each life ended. */
  readonly kills: readonly string[];
  readonly status: string;
  readonly types: readonly string[];
  readonly pool: SimulatedPool;
  readonly mostTries: number;
  readonly gate: string;
}

export interface KilledOptions {
  readonly databaseUrl: string;
  readonly folder: string;
  readonly port: number;
  readonly entry: string;
  readonly way: Way;
}

/** How a run comes to be, and what people say to it. */
export interface Way {
  /** Of the policy's defaults, beside `actions: act`. */
  readonly policy: string;
  /** Before there is anything to drive. */
  readonly prepare: (stage: KilledStage) => Promise<void>;
  /** By a process that is to die by the first step that it makes itself. */
  readonly begin: (stage: KilledStage) => Promise<void>;
}

/** By a person who says what is to blame; a bad worker corrupts data. */
export const BY_HAND: Way = {
  policy: `
  rollback: {target: "simulated:workers", approval: false, scaleToZero: true, watch: 5s}
  readmit: {steps: [100], hold: 10s}`,
  prepare: () => Promise.resolve(),
  begin: async (stage) => await stage.call('POST', '/v1/incidents', { target: 'simulated:workers', revision: 'v2', reason: 'it eats mails' }),
};

/** By an alert: what is to blame is read from the log, and a person has to approve. */
export const BY_SIGNAL: Way = {
  policy: `
  rollback: {target: "simulated:workers", approval: true, watch: 5s}
  readmit: {steps: [10, 100], hold: 5s}`,
  async prepare(stage) {
    for (let slot = 0; slot < 6; slot += 1) {
      await stage.work('v1', 10);
      await stage.work('v2', 10);
      await stage.pass(10_000);
    }
  },
  async begin(stage) {
    const alert = { status: 'firing', labels: { action: 'trigger-rollback', queue: 'mails' }, startsAt: '2026-01-05T01:00:00Z', fingerprint: 'mails' };
    await stage.call('POST', '/v1/alerts', { version: '4', alerts: [alert] });
  },
};

const T0 = Date.UTC(2026, 0, 5);
const policyOf = (way: Way): string => `
defaults:
  actions: act
  idempotent: true${way.policy}
`;

/**
 * One run against the bad revision `v2`, by the shipped process, which is killed with -9 behind every step that it makes and between
 * every act and the step that tells of it; each time another process goes on. The clock is the test's.
 */
export async function killedRun({ databaseUrl, folder, port, entry, way }: KilledOptions): Promise<KilledRun> {
  const config = join(folder, 'policy.yaml');
  const pools = join(folder, 'pools.json');
  writeFileSync(config, policyOf(way));
  writeFileSync(pools, JSON.stringify({ workers: simulatedPool({ nowMs: T0, replicas: 5 }) }));
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = $1`, [T0]);
  const victim = new Victim({ entry, databaseUrl, config, port, folder, env: { JOBWARDEN_SIMULATED: pools } });
  const stage = new KilledStage(client, victim);
  try {
    await victim.start(null);
    await stage.work('v1', 60);
    await stage.pass(3_600_000);
    await way.prepare(stage);
    const kills = await stage.killUntilOver(() => way.begin(stage));
    await victim.start(null);
    await victim.stop();
    const pool = (JSON.parse(readFileSync(pools, 'utf8')) as Record<string, SimulatedPool>)['workers'];
    if (pool === undefined) throw new Error('the pool is gone');
    return { kills, pool, ...(await stage.end()) };
  } finally {
    victim.kill();
    await client.end();
  }
}

/** What workers, people and time do to it. */
export class KilledStage {
  private nowMs = T0;
  private jobs = 0;

  constructor(
    private readonly client: pg.Client,
    private readonly victim: Victim,
  ) {}

  /** Jobs that workers of the revision have done, or failed if it is the bad one. */
  async work(revision: string, count: number): Promise<void> {
    const events = Array.from({ length: count }, () => {
      this.jobs += 1;
      const base = { specversion: '1.0', source: 'killed', subject: `job-${String(this.jobs)}` };
      const data = { queue: 'mails', attempt: 1, worker: { id: `w-${revision}`, revision } };
      const failed = revision === 'v2' ? { error: { class: 'TypeError', message: 'to is undefined' }, retryable: false } : null;
      const end = { type: failed === null ? 'succeeded' : 'failed', data: { ...data, ...failed } };
      return [{ type: 'started', data }, end].map((fact) => ({ ...base, ...fact, id: `${fact.type}-1`, type: `jobwarden.job.${fact.type}.v1` }));
    }).flat();
    await this.call('POST', '/v1/events', events);
  }

  async pass(ms: number): Promise<void> {
    this.nowMs += ms;
    await this.call('PUT', '/v1/clock', { now: new Date(this.nowMs).toISOString() });
  }

  async killUntilOver(begin: () => Promise<void>): Promise<readonly string[]> {
    const kills: string[] = [];
    this.victim.kill();
    let begins: (() => Promise<void>) | null = begin;
    while (kills.length < 120) {
      const last = await this.last();
      if (last.type === 'resolved' || last.type === 'escalated') return kills;
      const announced = last.intends !== null || last.type === 'rollback-begun';
      const window = announced && kills.at(-1) !== `act behind ${last.said}` ? 'saga/acted' : 'saga/step';
      await this.victim.start({ window, pass: 1 });
      if (!(await this.untilDead(begins))) return kills;
      begins = null;
      const died: string | null = await this.victim.death(5_000);
      const then = await this.last();
      kills.push(died === 'saga/acted' ? `act behind ${then.said}` : `step ${then.said}`);
    }
    throw new Error('it was killed more often than a run has steps');
  }

  async end(): Promise<Pick<KilledRun, 'status' | 'types' | 'mostTries' | 'gate'>> {
    const steps = await this.client.query<{ type: string }>(`SELECT type FROM jobwarden.incident_steps ORDER BY n`);
    const tries = await this.client.query<{ most: number }>(`SELECT max(try) AS most FROM jobwarden.incident_tries WHERE act <> 'quarantine'`);
    const gates = await this.client.query<{ gate: string }>('SELECT gate FROM jobwarden.queue_gates');
    const incident = await this.client.query<{ status: string }>('SELECT status FROM jobwarden.incidents');
    return {
      status: incident.rows[0]?.status ?? 'none',
      types: steps.rows.map((row) => row.type),
      mostTries: tries.rows[0]?.most ?? 0,
      gate: gates.rows[0]?.gate ?? 'open',
    };
  }

  /** Time passes and good workers work, until the process has died in its window; false: the run was over before. */
  private async untilDead(begin: (() => Promise<void>) | null): Promise<boolean> {
    const deadline = Date.now() + 60_000;
    let first = begin;
    while (this.victim.alive) {
      if (Date.now() > deadline) throw new Error(`it was not killed, and the run stands at ${(await this.last()).said}:\n${this.victim.said}`);
      try {
        const begins = first;
        first = null;
        await begins?.();
        if ((await this.last()).type === 'approval-requested') await this.approve();
        await this.pass(1_000);
        await this.work('v1', 2);
        if ((await this.last()).type === 'resolved') return false;
      } catch (error) {
        // It dies while it answers; whatever else is wrong shows at the deadline.
        if (!(error instanceof TypeError)) throw error;
      }
      await delay(100);
    }
    return true;
  }

  private async approve(): Promise<void> {
    const { rows } = await this.client.query<{ id: string }>('SELECT incident_id::text AS id FROM jobwarden.incidents');
    await this.call('POST', `/v1/incidents/${rows[0]?.id ?? ''}/approve`, { reason: 'yes' });
  }

  private async last(): Promise<{ readonly type: string; readonly intends: string | null; readonly said: string }> {
    const { rows } = await this.client.query<{ n: number; type: string; evidence: string | null; reason: string }>('SELECT n, type, evidence, reason FROM jobwarden.incident_steps ORDER BY n DESC LIMIT 1');
    const [row] = rows;
    const { intends = null } = JSON.parse(row?.evidence ?? '{}') as { intends?: string };
    return { type: row?.type ?? 'none', intends, said: `${String(row?.n)} ${row?.type ?? ''} (${row?.reason ?? ''})` };
  }

  async call(method: string, path: string, body: unknown): Promise<void> {
    const answer = await fetch(`${this.victim.url}${path}`, {
      method,
      headers: { 'content-type': path === '/v1/events' ? 'application/cloudevents-batch+json' : 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${String(answer.status)} ${await answer.text()}`);
  }
}
