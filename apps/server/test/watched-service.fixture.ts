import { globSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startPrometheus, waitUntil, type Prometheus } from '#libs/testing';
import { asOwner, event, TestService } from './service.fixture.js';

export const RULES_FOLDER = join(import.meta.dirname, '../../../deploy/prometheus');
export const RULES = globSync('*.rules.yaml', { cwd: RULES_FOLDER }).map((name) => join(RULES_FOLDER, name));
const POLICY = 'defaults: {actions: act, idempotent: true, maxRetries: 0}\nqueues: {retried: {maxRetries: 1}, given-up: {maxRetries: 1}}';

interface Sample {
  readonly value: readonly [number, string];
}

/** The service in this process, on a manual clock, with all shipped rules of a real Prometheus that scrapes it once a second. */
export class WatchedService {
  private constructor(
    readonly service: TestService,
    readonly prometheus: Prometheus,
    private nowMs: number,
  ) {}

  static async start(databaseUrl: string, nowMs: number): Promise<WatchedService> {
    await asOwner(databaseUrl, `UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = $1`, [nowMs]);
    const service = await TestService.start(databaseUrl, POLICY);
    const prometheus = await startPrometheus({ target: new URL(service.url).host, rules: RULES }).catch(async (error: unknown) => {
      await service.stop();
      throw error;
    });
    return new WatchedService(service, prometheus, nowMs);
  }

  async stop(): Promise<void> {
    await this.prometheus.stop();
    await this.service.stop();
  }

  async clock(ms: number): Promise<void> {
    this.nowMs = ms;
    await this.service.call('PUT', '/v1/clock', { body: { now: new Date(ms).toISOString() } });
  }

  async after(ms: number): Promise<void> {
    await this.clock(this.nowMs + ms);
  }

  async reconcile(): Promise<void> {
    const { status, text } = await this.service.call('POST', '/v1/reconciliations', { body: {} });
    if (status !== 200) throw new Error(text);
  }

  async query(expr: string): Promise<readonly Sample[]> {
    return (await this.prometheus.api<{ result: readonly Sample[] }>(`query?query=${encodeURIComponent(expr)}`)).result;
  }

  /** What is counted from now on is an increase. */
  async scraped(): Promise<void> {
    const now = Date.now() / 1_000;
    await waitUntil('Prometheus has scraped', async () => Number((await this.query('timestamp(up)'))[0]?.value[1] ?? 0) > now);
  }
}

const worker = (id: string, revision = 'v1') => ({ worker: { id, revision } });
const ERROR = { error: { class: 'E', message: 'no' } };

function beat(id: string, job: object, runtime?: object): object {
  const data = { ...worker(id), jobs: [{ attempt: 1, ...job }], ...(runtime !== undefined && { runtime }) };
  return { ...event('x', id), type: 'jobwarden.worker.heartbeat.v1', data };
}

async function ok(service: TestService, path: string, body: object): Promise<void> {
  const { status, text } = await service.call('POST', path, { body });
  if (status >= 300) throw new Error(`${path}: ${String(status)} ${text}`);
}

/** Jobs that wait, run and succeed, as many as teach what is usual; each is as long as it waits. */
export async function usualWork(watched: WatchedService, round: number): Promise<void> {
  const ids = Array.from({ length: 60 }, (_, i) => `usual-${String(round)}-${String(i)}`);
  const of = { queue: 'usual' };
  await watched.service.send(...ids.map((id) => event('queued', id, { ...of, kind: 'mail' })));
  await watched.after(2_000);
  await watched.service.send(...ids.map((id) => event('started', id, { ...of, ...worker('w1', `v${String(round)}`) })));
  await watched.after(2_000);
  await watched.service.send(...ids.map((id) => event('succeeded', id, { ...of, ...worker('w1', `v${String(round)}`) })));
  await watched.service.send(event('queued', `waits-${String(round)}`, of));
  await watched.reconcile();
}

/** Whatever can go wrong in a fleet, in queues of its own each. */
export async function trouble(watched: WatchedService): Promise<void> {
  const { service } = watched;
  await service.send(
    event('queued', 'again', { queue: 'retried' }),
    event('failed', 'again', { queue: 'retried', retryable: true, ...ERROR }),
    event('lease-renewal-failed', 'again', { queue: 'retried', reason: 'timed out', ...worker('w') }),
    event('succeeded', 'again', { queue: 'retried', ...worker('w') }),
  );
  await ok(service, '/v1/queues/claimed/jobs/one/claims', { claimId: 'c1', ...worker('w') });
  // One is given up, and lives; six workers at once are a blackout.
  const lease = { leaseMs: 1_000 };
  const silent = Array.from({ length: 6 }, (_, i) => `s${String(i)}`);
  await service.send(event('queued', 'late', { queue: 'given-up' }), event('started', 'late', { queue: 'given-up', ...lease, ...worker('w') }));
  await service.send(...silent.flatMap((id) => [event('queued', id, { queue: 'silent' }), event('started', id, { queue: 'silent', ...worker(id) }), beat(id, { queue: 'silent', id })]));
  // Silent beyond their lease, and for less than another one.
  await watched.after(40_000);
  await watched.reconcile();
  await watched.after(30_000);
  await watched.reconcile();
  await service.send(event('succeeded', 'late', { queue: 'given-up', attempt: 1, ...worker('w') }));
  await watched.reconcile();
  await ok(service, '/v1/revisions/refuse', { queue: 'retried', revision: 'v0', reason: 'a test', force: true });
  await ok(service, '/v1/queues/claimed/throttle', { perSecond: 5, reason: 'a test' });
  await ok(service, '/v1/queues/retried/pause', { reason: 'a test' });
  await ok(service, '/v1/incidents', { queue: 'usual', reason: 'a test' });
}

/** A rollout that asks whether its canary may go on. */
export async function asksTheGate(watched: WatchedService): Promise<void> {
  const { status, text } = await watched.service.get('/v1/gates/canary?queue=usual&revision=v2');
  if (!text.includes('"verdict"')) throw new Error(`${String(status)} ${text}`);
}

/** A worker that tells how it stands. */
export async function heartbeat(watched: WatchedService): Promise<void> {
  const runtime = { heapUsed: 9e8, heapLimit: 1e9, loopLagMs: 40, poolInUse: 3, poolWaiting: 2 };
  await watched.service.send(beat('w1', { queue: 'usual', id: 'waits-1' }, runtime));
}

/** A transaction that keeps dead rows, until it is ended. */
export async function openTransaction(url: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await client.query('SELECT count(*) FROM jobwarden.queues');
  return () => client.end();
}
