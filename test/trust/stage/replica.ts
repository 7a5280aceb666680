import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort, serverEntry, startProcess, type TestProcess } from '#libs/testing';

const SHIFTED_CLOCK = pathToFileURL(join(import.meta.dirname, 'shifted-clock.js')).href;

export interface ReplicaOptions {
  readonly env: Readonly<Record<string, string>>;
  /** A compiled main. Default: the shipped one. */
  readonly entry?: string;
  /** What its system clock is off by, ms. Default 0. */
  readonly clockShiftMs?: number;
}

/** The shipped service as a process of its own. */
export class Replica {
  private process: TestProcess | null = null;

  private constructor(
    private readonly options: ReplicaOptions,
    private readonly port: number,
  ) {}

  static async start(options: ReplicaOptions): Promise<Replica> {
    const replica = new Replica(options, await freePort());
    await replica.startAgain();
    return replica;
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  get output(): string {
    return this.process?.output() ?? '';
  }

  /** On the same port; resolves when it is ready. */
  async startAgain(): Promise<void> {
    const { env, entry = serverEntry, clockShiftMs = 0 } = this.options;
    const shifted = { NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`, JOBWARDEN_TEST_CLOCK_SHIFT_MS: String(clockShiftMs) };
    this.process = startProcess({
      entry,
      env: { ...env, JOBWARDEN_HTTP_PORT: String(this.port), ...(clockShiftMs !== 0 && shifted) },
    });
    await this.process.waitForOk(`${this.url}/readyz`, 60_000);
  }

  pause(): void {
    process.kill(this.process?.pid ?? 0, 'SIGSTOP');
  }

  resume(): void {
    process.kill(this.process?.pid ?? 0, 'SIGCONT');
  }

  /** SIGTERM. Throws unless it ends cleanly. */
  async stop(): Promise<void> {
    const exit = await this.process?.stop();
    if (exit !== undefined && exit.code !== 0) throw new Error(`the service did not end cleanly:\n${this.output}`);
    this.process = null;
  }

  /** kill -9. Idempotent. */
  async kill(): Promise<void> {
    await this.process?.kill();
    this.process = null;
  }
}
