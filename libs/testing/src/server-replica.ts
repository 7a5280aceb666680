import { freePort } from './free-port.js';
import { startServerProcess, type TestProcess } from './process.js';

export interface ServerReplicaOptions {
  readonly env: Readonly<Record<string, string>>;
  /** A compiled main. Default: the shipped one. */
  readonly entry?: string;
}

/** The shipped service as a process of its own, which may be killed and comes back on the same port. */
export class ServerReplica {
  private process: TestProcess | null = null;

  private constructor(
    private readonly options: ServerReplicaOptions,
    private readonly port: number,
  ) {}

  static async start(options: ServerReplicaOptions): Promise<ServerReplica> {
    const replica = new ServerReplica(options, await freePort());
    await replica.startAgain();
    return replica;
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  get output(): string {
    return this.process?.output() ?? '';
  }

  /** On the same port, which others may have in their hands; resolves when it is ready. */
  async startAgain(): Promise<void> {
    const { env, entry } = this.options;
    this.process = await startServerProcess({
      ...(entry !== undefined && { entry }),
      env: { ...env, JOBWARDEN_HTTP_PORT: String(this.port) },
      readyUrl: `${this.url}/readyz`,
      withinMs: 60_000,
    });
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
