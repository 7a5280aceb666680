import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Ticket } from './ticket.js';
import type { WorkQueue } from './work-queue.js';
import type { FromWorker, ToWorker } from './worker/messages.js';

export interface FleetOptions {
  readonly baseUrl: string;
  readonly size: number;
  readonly queue: WorkQueue;
  readonly onMessage: (worker: FleetWorker, message: FromWorker) => void;
  /** Was handed a ticket. */
  readonly onHanded: (worker: FleetWorker) => void;
  /** Died without being asked to. */
  readonly onDeath: (worker: FleetWorker) => void;
}

export interface FleetWorker {
  readonly id: string;
  readonly pid: number;
  /** What it was handed last. */
  readonly ticket: Ticket | null;
  kill(): void;
}

const entry = join(import.meta.dirname, 'worker/main.js');
/** As long as an orchestrator takes, at best, to notice and to start a process. */
const RESTART_MS = 500;
const LONGEST_GOODBYE_MS = 3_000;

/**
 * Worker processes, kept at their number: one that dies is replaced under the same name. Hands them tickets, and does
 * not remember who has which; what a dead worker held is Jobwarden's business.
 */
export class Fleet {
  private readonly workers = new Map<ChildProcess, { -readonly [K in keyof FleetWorker]: FleetWorker[K] }>();
  private readonly idle = new Set<ChildProcess>();
  private closing = false;

  constructor(private readonly options: FleetOptions) {}

  start(): void {
    for (let n = 1; n <= this.options.size; n += 1) this.hire(`worker-${String(n)}`);
  }

  /** There may be tickets: hands them to whoever is idle. */
  wake(): void {
    for (const child of this.idle) {
      if (this.closing) return;
      const ticket = this.options.queue.take();
      if (ticket === undefined) return;
      this.idle.delete(child);
      const worker = this.workers.get(child);
      send(child, { kind: 'run', ticket });
      if (worker === undefined) continue;
      worker.ticket = ticket;
      this.options.onHanded(worker);
    }
  }

  /** Lets every worker finish, or with `now` let go of, what it runs; in the last resort by force: nothing stays behind. */
  async close(now: boolean): Promise<void> {
    this.closing = true;
    await Promise.all([...this.workers.keys()].map((child) => dismissed(child, now)));
  }

  private hire(id: string): void {
    const { baseUrl } = this.options;
    const child = fork(entry, [baseUrl, id], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const worker = { id, pid: child.pid ?? 0, ticket: null, kill: () => void child.kill('SIGKILL') };
    this.workers.set(child, worker);
    child.on('message', (message: FromWorker) => this.heard(child, message));
    child.on('error', () => undefined);
    child.once('exit', () => void this.gone(child));
  }

  private heard(child: ChildProcess, message: FromWorker): void {
    const worker = this.workers.get(child);
    if (worker === undefined) return;
    if (message.kind === 'ready') {
      worker.ticket = null;
      this.idle.add(child);
      this.wake();
    }
    this.options.onMessage(worker, message);
  }

  private async gone(child: ChildProcess): Promise<void> {
    const worker = this.workers.get(child);
    this.workers.delete(child);
    this.idle.delete(child);
    if (this.closing || worker === undefined) return;
    this.options.onDeath(worker);
    await delay(RESTART_MS);
    if (!this.isClosing()) this.hire(worker.id);
  }

  /** A call, so that the compiler does not take it for still false after a wait. */
  private isClosing(): boolean {
    return this.closing;
  }
}

function send(child: ChildProcess, message: ToWorker): void {
  // It may die at this very moment: then its ticket is lost, as it would be in any queue.
  if (child.connected) child.send(message, () => undefined);
}

async function dismissed(child: ChildProcess, now: boolean): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  send(child, { kind: 'finish', now });
  const late = new AbortController();
  void delay(LONGEST_GOODBYE_MS, undefined, { signal: late.signal }).then(() => child.kill('SIGKILL'), () => undefined);
  await exit;
  late.abort();
}
