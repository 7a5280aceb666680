import { setTimeout as delay } from 'node:timers/promises';
import { createWorker, type JobWorker, type RunResult } from '@jobwarden/worker';
import type { Client, Emitter } from '@jobwarden/client';
import type { Ticket, WorkList } from './work-list.js';

/** A pod that is to work, or not any more. */
export interface Pod {
  readonly name: string;
  readonly revision: string;
  readonly works: boolean;
}

export interface PodWorkersOptions {
  readonly client: Client;
  readonly emitter: (worker: string) => Emitter;
  readonly queue: string;
  readonly list: WorkList;
  /** Every pod there is. */
  readonly pods: () => Promise<readonly Pod[]>;
  /** The release that fails whatever it takes. */
  readonly bad: string;
  readonly leaseMs: number;
}

/** What one job takes, whichever way it ends, ms. */
const RUN_MS = 800;
const LOOK_EVERY_MS = 500;
const quiet = { info: () => undefined, warn: () => undefined };

/** The program that the pods would run, if their kubelet were a real one: a worker of the library for each pod that is ready. */
export class PodWorkers {
  /** Job of the first attempt that the bad release has failed. */
  firstFailed: string | null = null;
  private readonly running = new Map<string, { readonly end: AbortController; readonly done: Promise<void> }>();
  private readonly ending = new AbortController();
  private following: Promise<void> = Promise.resolve();
  private readonly starts: { readonly revision: string; readonly atMs: number }[] = [];

  constructor(private readonly options: PodWorkersOptions) {}

  start(): void {
    this.following = this.follow();
  }

  /** Handlers of this release that were begun since then, by the clock of this process. */
  begun(revision: string, sinceMs: number): number {
    return this.starts.filter((start) => start.revision === revision && start.atMs >= sinceMs).length;
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await this.following;
    for (const { end } of this.running.values()) end.abort();
    await Promise.all([...this.running.values()].map(({ done }) => done));
  }

  private async follow(): Promise<void> {
    while (!this.ending.signal.aborted) {
      const pods = await this.options.pods().catch(() => null);
      if (pods !== null) this.match(pods);
      await delay(LOOK_EVERY_MS);
    }
  }

  private match(pods: readonly Pod[]): void {
    const wanted = new Map(pods.filter((pod) => pod.works).map((pod) => [pod.name, pod]));
    for (const [name, { end }] of this.running) if (!wanted.has(name)) end.abort();
    for (const [name, pod] of wanted) {
      if (this.running.has(name)) continue;
      const end = new AbortController();
      this.running.set(name, { end, done: this.work(pod, end.signal).finally(() => this.running.delete(name)) });
    }
  }

  private async work({ name, revision }: Pod, signal: AbortSignal): Promise<void> {
    const { client, leaseMs, list } = this.options;
    const emitter = this.options.emitter(name);
    const worker = createWorker({ client, emitter, id: name, revision, leaseMs, claims: true, thread: false, logger: quiet });
    while (!signal.aborted) {
      const ticket = list.take();
      if (ticket === undefined) {
        await delay(20);
        continue;
      }
      const result = await this.run(worker, ticket, revision);
      if (result.kind !== 'refused' || !COMES_AGAIN.has(result.code)) continue;
      list.giveBack(ticket);
      await delay(Math.min(result.retryAfterMs ?? 200, 200));
    }
    await worker.drain();
    await emitter.close(5_000);
  }

  private async run(worker: JobWorker, { id, command }: Ticket, revision: string): Promise<RunResult> {
    const { queue, bad } = this.options;
    return await worker.run({ queue, id, ...(command !== undefined && { command }) }, async () => {
      this.starts.push({ revision, atMs: Date.now() });
      await delay(RUN_MS);
      if (revision !== bad) return;
      this.firstFailed ??= id;
      throw Object.assign(new TypeError('Cannot read properties of undefined (reading total)'), { code: 'ERR_INVALID_STATE' });
    });
  }
}

const COMES_AGAIN: ReadonlySet<string> = new Set(['held', 'paused', 'throttled', 'revision_quarantined', 'draining']);
