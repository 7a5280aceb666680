import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FailpointWindow, SagaFailpoint } from '#libs/application';
import { bareEnv } from '#libs/testing';

/** The shipped service, started to be killed in one window after a number of passes. */
export interface VictimOptions {
  /** A compiled main: the shipped one, or a broken twin. */
  readonly entry: string;
  readonly databaseUrl: string;
  readonly config: string;
  readonly port: number;
  readonly folder: string;
  /** Told apart from others in the same folder. Default `window`. */
  readonly name?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Failpoint {
  readonly window: FailpointWindow | SagaFailpoint;
  readonly pass: number;
}

export class Victim {
  private child: ChildProcess | null = null;
  private output = '';
  private armed = false;

  constructor(private readonly options: VictimOptions) {}

  get url(): string {
    return `http://127.0.0.1:${String(this.options.port)}`;
  }

  private get announcement(): string {
    return join(this.options.folder, this.options.name ?? 'window');
  }

  /** Starts and waits until it serves; null: to be stopped in peace. Dies early when the window comes early. */
  async start(failpoint: Failpoint | null): Promise<void> {
    rmSync(this.announcement, { force: true });
    const { entry, databaseUrl, config, port, folder } = this.options;
    this.output = '';
    this.armed = failpoint !== null;
    const child = spawn(process.execPath, ['--enable-source-maps', entry], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...bareEnv(),
        HOME: folder,
        JOBWARDEN_DATABASE_URL: databaseUrl,
        JOBWARDEN_CONFIG: config,
        JOBWARDEN_HTTP_PORT: String(port),
        JOBWARDEN_LOG_LEVEL: 'warn',
        ...this.options.env,
        ...(failpoint !== null && {
          JOBWARDEN_TEST_FAILPOINT: `${failpoint.window}@${String(failpoint.pass)}@${this.announcement}`,
        }),
      },
    });
    this.child = child;
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (this.output += String(chunk)));
    const deadline = Date.now() + 120_000;
    while (!gone(child)) {
      const answer = await fetch(`${this.url}/readyz`).catch(() => null);
      if (answer?.ok === true) return;
      if (Date.now() > deadline) throw new Error(`the service did not become ready:\n${this.output}`);
      await delay(20);
    }
  }

  /** Waits for the death. Answers the window when it died there by SIGKILL, null when the deadline passed first. */
  async death(withinMs: number): Promise<FailpointWindow | null> {
    const child = this.child;
    if (child === null) throw new Error('nothing was started');
    const deadline = Date.now() + withinMs;
    while (!gone(child)) {
      if (Date.now() > deadline) return null;
      await delay(5);
    }
    if (child.signalCode !== 'SIGKILL') {
      throw new Error(`the service ended by itself (${String(child.exitCode ?? child.signalCode)}):\n${this.output}`);
    }
    return readFileSync(this.announcement, 'utf8') as FailpointWindow;
  }

  /** SIGTERM, and a clean end; or, where it was armed, an end in its window on the way. */
  async stop(): Promise<void> {
    const child = this.child;
    if (child === null || gone(child)) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
    if (this.armed && child.signalCode === 'SIGKILL') return;
    if (child.exitCode !== 0) throw new Error(`the service did not end cleanly (${String(child.exitCode)}):\n${this.output}`);
  }

  /** What it has said since its last start. */
  get said(): string {
    return this.output;
  }

  /** It serves, or is about to. */
  get alive(): boolean {
    return this.child !== null && !gone(this.child);
  }

  kill(): void {
    this.child?.kill('SIGKILL');
  }
}

function gone(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
