import { join } from 'node:path';
import { createTestDatabase, startProcess, waitUntil, type TestDatabase, type TestProcess } from '#libs/testing';
import type { CanaryGateView } from '#libs/contracts';
import { asOwner, Shipped } from '../../e2e/cases/shipped.js';
import { shippedIn, type Shipped as Manifest } from '../../deploy/canary/manifests.js';

/** A multiple of 5 minutes. */
const T0 = 1_700_000_100_000;
const entry = join(import.meta.dirname.replace(/[\\/]dist(?=[\\/]test)/u, ''), 'processes/members.mjs');

interface Deployment {
  readonly replicas: number;
  readonly template: { readonly spec: { readonly containers: readonly [{ readonly env: readonly { readonly name: string; readonly value?: string }[] }] } };
}

export interface Members {
  readonly binding: 'bullmq' | 'pg-boss' | 'kafka';
  /** Below `deploy/canary`: whose Deployments are started, with their replicas and their environment. */
  readonly manifest: string;
  readonly queue: string;
  /** Where the queue is: a port, a connection string, brokers. */
  readonly place: string | number;
  readonly held?: string;
  /** In place of the manifest's. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The shipped service on a manual clock, and members of Deployments that are shipped, each Deployment a process. `end` in afterAll. */
export class Crew {
  private readonly processes: TestProcess[] = [];
  private now = T0;

  private constructor(
    private readonly database: TestDatabase,
    private readonly service: Shipped,
  ) {}

  static async start(env: Readonly<Record<string, string>> = {}): Promise<Crew> {
    const database = await createTestDatabase();
    await asOwner(database.url, `UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = $1`, [T0]);
    return new Crew(database, await Shipped.start({ databaseUrl: database.url, policy: 'defaults: {owner: queue, gate: {runTimeFactor: off}}\n', env }));
  }

  /** @returns how many there are of both. */
  async join({ manifest, env = {}, ...settings }: Members): Promise<number> {
    const deployments = shippedIn(`canary/${manifest}`).filter(({ kind }) => kind === 'Deployment');
    const started = deployments.map((deployment) => {
      const { replicas, variables } = read(deployment);
      const process = startProcess({ entry, env: { ...variables, ...env, JOBWARDEN_URL: this.service.url, SETTINGS: JSON.stringify({ ...settings, members: replicas }) } });
      this.processes.push(process);
      return { replicas, process };
    });
    for (const { process } of started) await process.waitForOutput(/ready/u);
    return started.reduce((sum, { replicas }) => sum + replicas, 0);
  }

  /** What they have said, the stable ones' first. */
  said(): readonly string[] {
    return this.processes.map((process) => process.output());
  }

  async until(queue: string, succeeded: number): Promise<void> {
    const count = async () => (await this.service.all(`/v1/jobs?queue=${queue}&status=succeeded`)).length;
    await waitUntil(`${String(succeeded)} jobs have succeeded`, async () => (await count()) === succeeded, { withinMs: 120_000, everyMs: 200 });
  }

  /** The stretch is over. */
  async nextStretch(): Promise<void> {
    this.now += 10_000;
    await this.service.call('PUT', '/v1/clock', { now: new Date(this.now + 3_000).toISOString() });
  }

  async gate(queue: string): Promise<CanaryGateView> {
    return (await this.service.call<CanaryGateView>('GET', `/v1/gates/canary?queue=${queue}`)).body;
  }

  async end(): Promise<void> {
    for (const process of this.processes) await process.kill();
    await this.service.end();
    await this.database.drop();
  }
}

function read({ spec }: Manifest): { readonly replicas: number; readonly variables: Readonly<Record<string, string>> } {
  const { replicas, template } = spec as Deployment;
  return { replicas, variables: Object.fromEntries(template.spec.containers[0].env.map(({ name, value = '' }) => [name, value])) };
}
