import { setTimeout as delay } from 'node:timers/promises';
import { createClient, createEmitter, readCommands } from '@jobwarden/client';
import { waitUntil } from '#libs/testing';
import type { Shipped } from '../../e2e/cases/shipped.js';
import type { Api } from '../../kubernetes/plane/api.js';
import type { AuditedCall } from '../../kubernetes/plane/audit.js';
import type { ClusterRights } from './cluster-rights.js';
import { PodWorkers } from './pod-workers.js';
import { badOf, GOOD, Pool } from './pool.js';
import { WorkList } from './work-list.js';

export interface RunParts {
  readonly service: Shipped;
  /** The pipeline's and the test's own. */
  readonly api: Api;
  /** Of the service; null: none. */
  readonly rights: ClusterRights | null;
  /** Queue and namespace of the cluster. */
  readonly name: string;
  readonly replicas: number;
  readonly leaseMs: number;
}

/** Most of what the pool can do, from the first day on: where more arrives than usual, that may be what fails. */
const ARRIVALS_PER_SECOND = 4;
/** What is as old as a queue's history, give or take a minute, is no new release; and a healthy one has done some jobs. */
const HISTORY_MS = 75_000;
const PROVED_AFTER = 50;
const quiet = { info: () => undefined, warn: () => undefined };

/** One pool of workers on its Deployment, jobs that keep arriving, and a good release that has proved itself. */
export class Run {
  private readonly ending = new AbortController();
  private readonly list = new WorkList();
  private readonly client;
  private readonly workers: PodWorkers;
  private going: Promise<unknown> = Promise.resolve();
  private jobs = 0;

  private constructor(
    readonly parts: RunParts,
    readonly pool: Pool,
  ) {
    const { service, name, leaseMs } = parts;
    this.client = createClient({ url: service.url });
    this.workers = new PodWorkers({
      ...{ client: this.client, queue: name, list: this.list, bad: badOf(name), leaseMs },
      emitter: (source) => createEmitter({ client: this.client, source, logger: quiet }),
      pods: () => pool.pods(),
    });
  }

  /** Resolves when the good release has a history, and has done enough to be known as healthy. */
  static async start(parts: RunParts): Promise<Run> {
    const run = new Run(parts, await Pool.create(parts.api, parts.name, parts.replicas));
    await parts.rights?.grantIn(parts.name);
    run.workers.start();
    run.going = Promise.all([run.produce(), run.listen()]);
    await delay(HISTORY_MS);
    await waitUntil('the good release has proved itself', async () => (await run.counts()).succeeded >= PROVED_AFTER, { withinMs: 120_000, everyMs: 1_000 });
    return run;
  }

  async releaseBad(): Promise<void> {
    await this.pool.release(badOf(this.parts.name));
  }

  /** Of the good release one pod is left, which cannot do what arrives. */
  async releaseBadButOne(): Promise<void> {
    const bad = badOf(this.parts.name);
    await this.pool.releaseButOne(bad);
    const wanted = this.parts.replicas - 1;
    const ready = async () => {
      const pods = await this.pool.ready();
      return pods.get(bad) === wanted && pods.get(GOOD) === 1;
    };
    await waitUntil('all but one pod are of the bad release', ready, { withinMs: 30_000 });
  }

  /** When the first attempt failed that the bad release has begun, by the service's clock, ms. */
  async firstFailureMs(): Promise<number> {
    await waitUntil('the bad release has failed a job', () => this.workers.firstFailed !== null, { withinMs: 30_000 });
    const id = this.workers.firstFailed ?? '';
    const path = `/v1/jobs/one?queue=${this.parts.name}&id=${id}`;
    let endedMs = Number.NaN;
    await waitUntil(
      'its end is in the log',
      async () => {
        // What the worker has sent may not be there yet.
        const { attempts = [] } = (await this.parts.service.call<{ attempts?: { endedAt?: string }[] }>('GET', path)).body;
        endedMs = Math.min(...attempts.flatMap(({ endedAt }) => (endedAt === undefined ? [] : [Date.parse(endedAt)])));
        return Number.isFinite(endedMs);
      },
      { withinMs: 120_000 },
    );
    return endedMs;
  }

  /** Handlers of the bad release that were begun since then. */
  begunByBad(sinceMs: number): number {
    return this.workers.begun(badOf(this.parts.name), sinceMs);
  }

  async counts(): Promise<{ readonly succeeded: number; readonly deadLettered: number }> {
    const { body } = await this.parts.service.call<{ byStatus?: Record<string, number> }>('GET', `/v1/queues/${this.parts.name}`);
    return { succeeded: body.byStatus?.['succeeded'] ?? 0, deadLettered: body.byStatus?.['dead-lettered'] ?? 0 };
  }

  /** Calls to the cluster by the service about this pool, as the API server has recorded them. */
  audited(): readonly AuditedCall[] {
    return this.parts.rights?.audited(this.parts.name) ?? [];
  }

  async healthy(): Promise<number> {
    return (await this.pool.ready()).get(GOOD) ?? 0;
  }

  async end(): Promise<void> {
    this.ending.abort();
    await this.workers.stop();
    await this.going;
  }

  private async produce(): Promise<void> {
    const { signal } = this.ending;
    const emitter = createEmitter({ client: this.client, source: `${this.parts.name}-producer`, logger: quiet });
    while (!signal.aborted) {
      this.jobs += 1;
      const id = `job-${String(this.jobs)}`;
      await emitter.ask({ type: 'queued', queue: this.parts.name, jobId: id, data: {} });
      this.list.add({ id });
      await delay(1_000 / ARRIVALS_PER_SECOND, undefined, { signal }).catch(() => undefined);
    }
    await emitter.close(5_000);
  }

  private async listen(): Promise<void> {
    await readCommands({
      client: this.client,
      queues: [this.parts.name],
      signal: this.ending.signal,
      logger: quiet,
      onEnqueue: ({ subject, data }) => this.list.add({ id: subject, command: data }),
    });
  }
}
