// The shipped service on a real database and a real cluster, under an account that may do what deploy/kubernetes/rbac.yaml grants and nothing else. The
// service's clock is the test's: what a run waits for is over in an instant, and what a cluster does takes the time that it takes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inject } from 'vitest';
import { event, manualClock, range, Shipped } from '../../e2e/cases/shipped.js';
import { createAccount, grant, shippedRules } from '../plane/accounts.js';
import { auditedCalls, writesIn, wrote } from '../plane/audit.js';
import { kubeconfigText } from '../plane/control-plane.js';
import { adminApi, newNamespace } from '../plane/workers.js';

export interface Step {
  readonly type: string;
  readonly reason: string;
  readonly evidence?: Readonly<Record<string, unknown>>;
}

export interface Told {
  readonly status: string;
  readonly steps: readonly Step[];
}

/** What a queue's policy has beside its target. */
export type RollbackText = string;

/** A queue, a namespace and a target for each case, all of one name. */
export class SagaStage<Case extends string> {
  private readonly ids = new Map<Case, string>();
  private jobs = 0;
  private nowMs = BEGUN_MS;

  private constructor(
    private readonly folder: string,
    private readonly namespaces: Readonly<Record<Case, string>>,
    readonly service: Shipped,
  ) {}

  static async open<Case extends string>(databaseUrl: string, cases: Readonly<Record<Case, RollbackText>>): Promise<SagaStage<Case>> {
    const api = adminApi();
    const { server, ca, accountsOf } = inject('kubernetes');
    await api.call('POST', '/api/v1/namespaces', { metadata: { name: accountsOf } });
    const account = { namespace: accountsOf, name: 'jobwarden' };
    const token = await createAccount(api, account);
    const namespaces = {} as Record<Case, string>;
    for (const name of Object.keys(cases) as Case[]) {
      namespaces[name] = await newNamespace(api);
      await grant(api, { namespace: namespaces[name], account, rules: shippedRules('workers') });
    }
    const folder = mkdtempSync(join(tmpdir(), 'jobwarden-saga-'));
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigText({ server, ca, token }), { mode: 0o600 });
    const queues = Object.entries<RollbackText>(cases).map(([name, more]) => `  ${name}: {rollback: {target: ${namespaces[name as Case]}/workers${more === '' ? '' : `, ${more}`}}}`);
    await manualClock(databaseUrl, BEGUN_MS);
    return new SagaStage(folder, namespaces, await serve(databaseUrl, kubeconfig, queues));
  }

  async close(): Promise<void> {
    await this.service.end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  namespace(of: Case): string {
    return this.namespaces[of];
  }

  /** `v1` has done enough to be known as healthy, an hour ago; and a person says that `v2` is to blame. */
  async begin(of: Case): Promise<void> {
    await this.work(of, 60);
    await this.pass(3_600_000);
    const opened = await this.service.call<{ incidentId?: string }>('POST', '/v1/incidents', { target: `${this.namespaces[of]}/workers`, revision: 'v2', reason: 'it eats mails' });
    if (opened.body.incidentId === undefined) throw new Error(`${String(opened.status)} ${JSON.stringify(opened.body)}`);
    this.ids.set(of, opened.body.incidentId);
  }

  /** Time passes, and good workers work, until the incident is so. @throws with how far the run has come. */
  async until(of: Case, holds: (told: Told) => boolean): Promise<Told> {
    const deadline = Date.now() + WITHIN_MS;
    for (;;) {
      const told = await this.told(of);
      if (holds(told)) return told;
      if (Date.now() > deadline) throw new Error(`${of}: ${told.steps.map(({ type, reason }) => `${type} (${reason})`).join(' → ')}\n${this.service.output}`);
      await this.pass(1_000);
      await this.work(of, 2);
      await delay(EACH_SECOND_MS);
    }
  }

  async told(of: Case): Promise<Told> {
    return await this.service.get<Told>(`/v1/incidents/${this.ids.get(of) ?? ''}`);
  }

  /** Of Jobwarden in the namespace, as the API server has recorded them: those that came through, and all that were to write. */
  writes(of: Case): { readonly through: number; readonly tried: number } {
    const calls = auditedCalls(inject('kubernetes').auditFile, this.namespaces[of]);
    return { through: wrote(calls).length, tried: writesIn(calls).length };
  }

  private async pass(ms: number): Promise<void> {
    this.nowMs += ms;
    const { status, body } = await this.service.call('PUT', '/v1/clock', { now: new Date(this.nowMs).toISOString() });
    if (status !== 200) throw new Error(`the clock: ${String(status)} ${JSON.stringify(body)}`);
  }

  private async work(of: Case, count: number): Promise<void> {
    const data = { queue: of, attempt: 1, worker: { id: 'w-v1', revision: 'v1' } };
    const events = range(count, () => `job-${String((this.jobs += 1))}`).flatMap((job) => [event('started', job, data), event('succeeded', job, data)]);
    await this.service.send(events);
  }
}

/** Where the service's clock begins. */
const BEGUN_MS = Date.UTC(2026, 0, 5);
/** Of the test's own time. */
const WITHIN_MS = 45_000;
/** What a second of the service's clock takes: a cluster has time to do what a run waits two minutes for. */
const EACH_SECOND_MS = 60;

async function serve(databaseUrl: string, kubeconfig: string, queues: readonly string[]): Promise<Shipped> {
  const policy = `
defaults:
  actions: act
  idempotent: true
  rollback: {approval: false, watch: 10s}
  readmit: {steps: [100], hold: 2s, minSample: 1}
queues:
${queues.join('\n')}
`;
  return await Shipped.start({ databaseUrl, policy, env: { JOBWARDEN_KUBECONFIG: kubeconfig } });
}

