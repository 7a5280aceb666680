import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { simulatedPool, type SimulatedPool } from '#libs/orchestrators';
import { cliEntry, createTestDatabase, freePort, startProcess, waitUntil, type TestDatabase, type TestProcess } from '#libs/testing';
import { service, type TestService } from './cli.fixture.js';

const T0 = Date.UTC(2026, 0, 5);
/** A pool of its own for each test; none for `nowhere`. */
const POOLS = ['well', 'forbids', 'paused', 'fresh', 'watched', 'nowhere'] as const;
type Pool = (typeof POOLS)[number];

interface Told {
  readonly incidentId: string;
  readonly status: string;
  readonly steps: readonly { readonly type: string; readonly evidence?: Readonly<Record<string, unknown>> }[];
  readonly run: { readonly phase: string; readonly acted: boolean; readonly code: string | null };
}

/** The shipped service with calculated pools; the lane's clock is the test's. */
describe('jobwarden rollback', () => {
  let database: TestDatabase;
  let running: TestService;
  let folder: string;
  let poolsFile: string;
  let nowMs = T0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'jobwarden-rollback-'));
    poolsFile = join(folder, 'pools.json');
    const pools: Record<string, SimulatedPool> = {};
    for (const name of POOLS) if (name !== 'nowhere') pools[name] = simulatedPool({ nowMs: T0 });
    writeFileSync(poolsFile, JSON.stringify({ ...pools, forbids: { ...pools['forbids'], faults: [{ verb: 'apply', code: 'forbidden' }] }, paused: { ...pools['paused'], paused: true } }));
    const policy = join(folder, 'policy.yaml');
    const queue = (name: string) => `  ${name}: {rollback: {target: "simulated:${name}", watch: 10s}, readmit: {steps: [50, 100], hold: 5s, minSample: 5}}`;
    writeFileSync(policy, ['queues:', ...POOLS.map(queue), '  alone: {readmit: {steps: [100], hold: 5s, minSample: 5}}'].join('\n'));
    database = await createTestDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(`UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = $1`, [T0]);
    await client.end();
    running = await service({ JOBWARDEN_DATABASE_URL: database.url, JOBWARDEN_CONFIG: policy, JOBWARDEN_SIMULATED: poolsFile });
    // What proves v1 healthy: of `fresh` nothing does.
    for (const name of [...POOLS, 'alone']) await work(name, name === 'fresh' ? 'v2' : 'v1', 30);
    await pass(3_600_000);
  }, 60_000);
  afterAll(async () => {
    await running.process.stop();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${running.url}${path}`, { method, headers: { 'content-type': 'application/json' }, ...(body !== undefined && { body: JSON.stringify(body) }) });
    return (await answer.json()) as T;
  };
  const work = async (queue: string, revision: string, many: number): Promise<void> => {
    const events = Array.from({ length: many }, () => {
      const subject = randomUUID();
      const data = { queue, attempt: 1, worker: { id: `w-${revision}`, revision } };
      return ['started', 'succeeded'].map((fact) => ({ specversion: '1.0', source: 't', subject, id: fact, type: `jobwarden.job.${fact}.v1`, data }));
    });
    await call('POST', '/v1/events', events.flat());
  };
  const pass = async (ms: number): Promise<void> => {
    nowMs += ms;
    await call('PUT', '/v1/clock', { now: new Date(nowMs).toISOString() });
  };
  const pool = (name: Pool): SimulatedPool | undefined => (JSON.parse(readFileSync(poolsFile, 'utf8')) as Readonly<Record<string, SimulatedPool>>)[name];
  const begin = (...args: readonly string[]): TestProcess => startProcess({ entry: cliEntry, args: ['rollback', '--url', running.url, '--reason', 'v2 eats mails', ...args] });
  const of = (name: Pool): string[] => ['--target', `simulated:${name}`, '--revision', 'v2'];
  const incidentOf = async (process: TestProcess): Promise<Told> => await call('GET', `/v1/incidents/${/incident (\d+)/iu.exec(process.output())?.[1] ?? ''}`);
  const refusals = async (queue: string): Promise<readonly unknown[]> => (await call<{ items: readonly { queue: string | null }[] }>('GET', '/v1/revisions/refusals')).items.filter((one) => one.queue === queue);
  /** Time goes by and good workers work, until the command has ended. */
  const followed = async (process: TestProcess, queue: string): Promise<number | null> => {
    let code: number | null | undefined;
    void process.exited.then((exit) => (code = exit.code));
    await waitUntil('the command has ended', async () => {
      if (code !== undefined) return true;
      await work(queue, 'v1', 5);
      await pass(5_000);
      return false;
    }, { withinMs: 60_000, everyMs: 300 });
    return code ?? null;
  };

  it('ends with 0 once the release is back, proved and let in again', async () => {
    const command = begin(...of('well'));
    expect([await followed(command, 'well'), command.output()]).toEqual([0, expect.stringContaining('Rolled back, and everything is let in again.')]);
    expect(await incidentOf(command)).toMatchObject({ status: 'resolved', run: { phase: 'over', acted: true } });
    expect(pool('well')).toMatchObject({ release: 'release-v1', replicas: 3 });
    expect(await refusals('well')).toHaveLength(1);
  }, 90_000);

  it('ends with 0 where there is no target: the revision is out of service, and it says that nothing was rolled back', async () => {
    const command = begin('--queue', 'alone', '--revision', 'v2');
    expect([await followed(command, 'alone'), command.output()]).toEqual([0, expect.stringContaining('Not rolled back: no target is named for it')]);
    expect(await refusals('alone')).toHaveLength(1);
  }, 90_000);

  it('ends with 1 where it isolated and could not roll back', async () => {
    const command = begin(...of('forbids'));
    expect([await followed(command, 'forbids'), command.output()]).toEqual([1, expect.stringContaining('Escalated, forbidden:')]);
    expect((await incidentOf(command)).run).toMatchObject({ phase: 'escalated', acted: true });
    expect(await refusals('forbids')).toHaveLength(1);
  }, 90_000);

  it.each([
    ['paused', 'paused'],
    ['fresh', 'no_stable_revision'],
    ['nowhere', 'not_found'],
  ] as const)('ends with 2 before anything is done, of a target that is %s', async (name, code) => {
    const before = pool(name);
    const command = begin(...of(name));
    expect([(await command.exited).code, command.output()]).toEqual([2, expect.stringContaining(`Refused, and nothing was done, ${code}: nothing was done: `)]);
    const incident = await incidentOf(command);
    expect(incident.run).toMatchObject({ phase: 'escalated', code, acted: false });
    expect(incident.steps.map(({ type }) => type)).toEqual(['opened', 'cause-assessed', 'escalated']);
    expect([await refusals(name), pool(name)?.release, pool(name)?.generation]).toEqual([[], before?.release, before?.generation]);
    const again = begin(...of(name));
    expect([(await again.exited).code, again.output()]).toEqual([2, expect.stringContaining(`Refused, incident_open: an incident is open for simulated:${name}`)]);
  }, 90_000);

  it('ends with 2 for a target that no policy names, with 3 where nobody answers', async () => {
    const unknown = begin('--target', 'simulated:nobody', '--revision', 'v2');
    expect([(await unknown.exited).code, unknown.output()]).toEqual([2, expect.stringContaining('Refused, target_unknown:')]);
    const nobody = startProcess({ entry: cliEntry, args: ['rollback', '--url', `http://127.0.0.1:${String(await freePort())}`, '--reason', 'r', ...of('watched')] });
    expect((await nobody.exited).code).toBe(3);
  });

  it('tells as a dry run what would be done, or that it would be refused, and does nothing', async () => {
    const told = begin(...of('watched'), '--dry-run');
    expect([await followed(told, 'watched'), told.output()]).toEqual([0, expect.stringMatching(/It would have: .*refuse v2 everywhere; give simulated:watched the release of v1, with 3 replicas as now/u)]);
    expect([await refusals('watched'), pool('watched')?.generation]).toEqual([[], 1]);
  }, 90_000);

  it('goes on without the command after Ctrl-C, which says how it is stopped', async () => {
    const command = begin(...of('watched'));
    await command.waitForOutput(/intake-throttled/u);
    expect([(await command.stop('SIGINT')).code, command.output()]).toEqual([1, expect.stringMatching(/The run goes on and needs nobody to watch: .*POST …\/abort/u)]);
    const { incidentId } = await incidentOf(command);
    let told: Told | undefined;
    await waitUntil('it has come further without the command', async () => {
      await pass(1_000);
      told = await call<Told>('GET', `/v1/incidents/${incidentId}`);
      return told.steps.some(({ type }) => type === 'rolled-back');
    }, { withinMs: 30_000, everyMs: 300 });
    await call('POST', `/v1/incidents/${incidentId}/abort`, { reason: 'we mend it' });
    await waitUntil('it is over', async () => (await call<Told>('GET', `/v1/incidents/${incidentId}`)).status === 'resolved');
  }, 90_000);
});
