import { mkdirSync, rmSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { cliEntry, postgresFolder, postgresTool, startPostgres, startProcess, waitUntil, type PostgresServer, type PostgresTool, type ToolRun } from '#libs/testing';
import { asOwner, event, range, Shipped } from '../cases/shipped.js';

export const POLICY = `
defaults: {actions: act, idempotent: true, lease: 2s, grace: 100ms, startBy: 1h, blackout: {minWorkers: 100000}, backoff: {initial: 1h, max: 1h}}
queues:
  patient: {grace: 1h}
  watched: {actions: observe}
`;

/** One job for each status that lasts, in the queue where it does. */
export const STANDING: readonly (readonly [status: string, queue: string])[] = [
  ['queued', 'q'], ['processing', 'q'], ['restart-requested', 'patient'], ['failed', 'watched'], ['retrying', 'q'], ['requeued', 'q'],
  ['incomplete', 'q'], ['succeeded', 'q'], ['dead-lettered', 'q'], ['cancelled', 'q'], ['discarded', 'q'],
];

/** Servers, services and a folder of one test; `end` ends them all. */
export class Stage {
  readonly folder = postgresFolder();
  private readonly ends: (() => Promise<unknown>)[] = [];

  /** A server of its own, on a folder that may be a backup already. */
  async server(name: string, settings: readonly string[] = []): Promise<PostgresServer> {
    const server = await startPostgres(join(this.folder, name), settings);
    this.ends.push(() => server.stop());
    return server;
  }

  /** Writable for the server as well. */
  subfolder(name: string): string {
    const path = join(this.folder, name);
    mkdirSync(path);
    chmodSync(path, 0o777);
    return path;
  }

  async service(databaseUrl: string): Promise<Shipped> {
    const service = await Shipped.start({ databaseUrl, policy: POLICY });
    this.ends.push(() => service.end());
    return service;
  }

  async end(): Promise<void> {
    for (const end of this.ends.splice(0).reverse()) await end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The owner's address of a database of `server`. */
export function urlOf(server: PostgresServer, database: string): string {
  return `postgres://jobwarden:secret@127.0.0.1:${String(server.port)}/${database}`;
}

export const OWNER = `CREATE ROLE jobwarden LOGIN CREATEROLE PASSWORD 'secret'`;

/** By its exit code 0, or with what it said. */
export async function tool(name: PostgresTool, ...args: string[]): Promise<ToolRun> {
  const run = await postgresTool(name, args);
  if (run.code !== 0) throw new Error(`${name} ${args.join(' ')}: ${String(run.code)}\n${run.output}`);
  return run;
}

export async function jobwarden(databaseUrl: string, ...args: string[]): Promise<ToolRun> {
  const command = startProcess({ entry: cliEntry, args, env: { JOBWARDEN_DATABASE_URL: databaseUrl } });
  const { code } = await command.exited;
  return { code: code ?? -1, output: command.output() };
}

export async function claim(service: Shipped, queue: string, id: string, claimId: string): Promise<{ readonly status: number; readonly token: number }> {
  const { status, body } = await service.call<{ token?: number }>('POST', `/v1/queues/${queue}/jobs/${id}/claims`, { claimId, worker: { id: `w-${claimId}` }, leaseMs: 600_000 });
  return { status, token: body.token ?? 0 };
}

/** Brings a job named by its status into each, and waits until they stand. */
export async function inEveryStatus(service: Shipped, databaseUrl: string): Promise<void> {
  await service.send(STANDING.flatMap(([status, queue]) => (status === 'incomplete' ? [] : [event('queued', status, { queue })])));
  await claim(service, 'q', 'processing', 'first');
  const w = { worker: { id: 'w-first' }, attempt: 1 };
  const error = { error: { class: 'E', message: 'no' } };
  await service.send([
    event('started', 'restart-requested', { ...w, queue: 'patient' }),
    event('started', 'requeued', w),
    event('failed', 'failed', { ...w, ...error, queue: 'watched' }),
    event('failed', 'retrying', { ...w, ...error }),
    event('started', 'incomplete', w),
    event('released', 'incomplete', w),
    event('succeeded', 'succeeded', w),
    event('failed', 'dead-lettered', { ...w, ...error, retryable: false }),
  ]);
  const calls = [['q', 'cancelled', 'cancel'], ['q', 'discarded', 'discard'], ['patient', 'restart-requested', 'restart'], ['q', 'requeued', 'restart']] as const;
  for (const [queue, id, call] of calls) await service.call('POST', `/v1/queues/${queue}/jobs/${id}/${call}`, { reason: 'a test' });
  await waitUntil('every job has its status', async () => {
    const rows = await asOwner<{ job_id: string }>(databaseUrl, 'SELECT job_id FROM jobwarden.jobs WHERE status = job_id');
    return rows.length === STANDING.length;
  }, { withinMs: 30_000 });
}

/** Sends jobs that are queued and end, one batch after the other, and keeps which of them were acknowledged. */
export class Writer {
  readonly acknowledged: string[] = [];
  private on = true;
  private readonly done: Promise<void>;

  constructor(private readonly service: Shipped) {
    this.done = this.run();
  }

  async stop(): Promise<void> {
    this.on = false;
    await this.done;
  }

  private async run(): Promise<void> {
    for (let batch = 0; this.on; batch += 1) {
      const ids = range(10, (i) => `written-${String(batch)}-${String(i)}`);
      const outcomes = await this.service.send(ids.flatMap((id) => [event('queued', id), event('succeeded', id, { attempt: 1, worker: { id: 'w' } })]));
      this.acknowledged.push(...ids.filter((_, i) => outcomes[2 * i] === 'appended' && outcomes[2 * i + 1] === 'appended'));
    }
  }
}
