// One broker of a cluster:
//
//   stopped ──start()──► running ──pause()──► paused ──resume()──► running
//   running, paused ──kill()──► stopped          (the data stays: a later start() goes on with it)
//
// It counts as running when it says so itself: registered with the controller, and its listeners open.
import { join } from 'node:path';
import type { GuardedServer } from './guarded.js';
import { startJavaServer } from './java.js';
import type { NodePlan } from './settings.js';

/** Less than a hook of the tests may take, so that the log is shown. */
const startMs = 50_000;
const keptLines = 5_000;

export class BrokerNode {
  private server: GuardedServer | undefined;
  private readonly lines: string[] = [];

  constructor(
    private readonly plan: NodePlan,
    private readonly java: { readonly jars: string; readonly heapMb: number },
  ) {}

  get id(): number {
    return this.plan.id;
  }

  /** 0 while it is stopped. */
  get pid(): number {
    return this.server?.pid ?? 0;
  }

  get log(): string {
    return this.lines.join('\n');
  }

  /** @throws with the end of its log when it ends first, or is not ready after 50 seconds. */
  async start(): Promise<void> {
    if (this.server) return;
    let ready: () => void = () => undefined;
    const isReady = new Promise<void>((resolve) => (ready = resolve));
    const server = startJavaServer({
      ...this.java,
      args: ['kafka.Kafka', join(this.plan.folder, 'server.properties')],
      onLine: (line) => {
        if (this.lines.push(line) > keptLines) this.lines.shift();
        if (line.includes('Kafka Server started')) ready();
      },
    });
    this.server = server;
    void server.exited.finally(() => {
      if (this.server === server) this.server = undefined;
    }).catch(() => undefined);
    await this.untilReady(isReady, server);
  }

  /** kill -9, also of a paused one; with SIGTERM it hands over its partitions first. Waits for the end. */
  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    await this.server?.end(signal);
  }

  /** Its connections stay open and nothing is answered. */
  pause(): void {
    this.server?.send('SIGSTOP');
  }

  resume(): void {
    this.server?.send('SIGCONT');
  }

  private async untilReady(isReady: Promise<void>, server: GuardedServer): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`is not ready after ${startMs / 1_000} s`), startMs);
    });
    const ended = server.exited.then(({ code, signal }) => `ended (${signal ?? `code ${String(code)}`})`);
    const failure = await Promise.race([isReady, late, ended]);
    clearTimeout(timer);
    if (typeof failure !== 'string') return;
    server.send('SIGKILL');
    throw new Error(`Kafka node ${this.id} ${failure}. The end of its log:\n${this.lines.slice(-40).join('\n')}`);
  }
}
