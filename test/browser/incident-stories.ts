import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { simulatedPool } from '#libs/orchestrators';
import { waitUntil } from '#libs/testing';
import type { DashboardService, TestEvent } from './harness/service.js';

export const BAD = 'v42';
export const GOOD = 'v41';
/** Rolled back by refusal alone: its queue names no target. */
export const ALONE = 'mails';
/** Its workers are calculated, as are those of `stamps`; of the targets of `cards` and `parcels` nothing is known. */
export const TARGET = 'simulated:mailer';
const ASKS = '{rollback: approve, throttle: approve}';
const readmit = (hold: string) => `readmit: {steps: [50, 100], hold: ${hold}, minSample: 3}`;
const READMIT = readmit('1s');

export const INCIDENT_POLICY = `
queues:
  ${ALONE}: {${readmit('15s')}}
  letters: {actions: ${ASKS}, ${READMIT}, rollback: {target: "${TARGET}", approval: true}}
  cards: {actions: ${ASKS}, ${READMIT}, rollback: {target: "simulated:nowhere", approval: true}}
  stamps: {actions: ${ASKS}, ${READMIT}, rollback: {target: "simulated:printer", approval: true}}
  parcels: {rollback: {target: "simulated:gone"}}
`;

/** A file with pools of three workers of the bad release. */
export function simulatedFile(): string {
  const path = join(mkdtempSync(join(tmpdir(), 'jobwarden-pools-')), 'pools.json');
  const pool = () => simulatedPool({ revisions: [GOOD, BAD], nowMs: Date.now() - 60_000 });
  writeFileSync(path, JSON.stringify({ mailer: pool(), printer: pool() }));
  return path;
}

interface Told {
  readonly n: number;
  readonly type: string;
  readonly by: string;
  readonly reason: string;
  readonly evidence?: Readonly<Record<string, unknown>>;
}

/** What happens to queues and their incidents, told by events alone; the lanes' clock is moved by hand. */
export class IncidentStories {
  private jobs = 0;

  constructor(private readonly service: DashboardService) {}

  /** Makes a queue known: an event has named it. */
  async know(...queues: readonly string[]): Promise<void> {
    await this.service.send(...queues.map((queue): TestEvent => ({ fact: 'queued', id: 'first', data: { queue } })));
  }

  /** A minute in which the bad release fails what the good one does beside it. */
  async sicken(...queues: readonly string[]): Promise<void> {
    for (let slot = 0; slot < 6; slot += 1) {
      await this.service.send(...queues.flatMap((queue) => [...this.work(queue, GOOD, 10), ...this.work(queue, BAD, 10)]));
      await this.service.pass(10_000);
    }
  }

  /** One job that takes down each worker that takes it, beside many that go well. */
  async poison(queue: string): Promise<void> {
    await this.service.send({ fact: 'queued', id: 'poisonous', data: { queue, maxAttempts: 20 } });
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      const of = { queue, attempt, worker: { id: `p-${String(attempt % 3)}`, revision: GOOD, incarnation: String(attempt) } };
      await this.service.send(
        { fact: 'started', id: 'poisonous', data: of },
        { fact: 'failed', id: 'poisonous', data: { ...of, error: { class: 'RangeError', message: 'Invalid string length' }, retryable: true } },
        ...this.work(queue, GOOD, 6),
      );
      await this.service.pass(10_000);
    }
  }

  /** As Alertmanager says it. */
  async alert(queue: string, status: 'firing' | 'resolved' = 'firing'): Promise<void> {
    const alert = { status, labels: { action: 'trigger-rollback', queue }, annotations: { ratio: '0.5' }, startsAt: '2026-01-31T12:00:00Z', fingerprint: `alert-${queue}` };
    await this.service.call('POST', '/v1/alerts', { version: '4', alerts: [alert] });
  }

  /** The incident that an open one of this queue is, once there is one. */
  async incidentOf(queue: string): Promise<string> {
    let id: string | undefined;
    await waitUntil(`an incident of ${queue}`, async () => {
      const { items } = (await this.service.call('GET', `/v1/incidents?status=open&queue=${queue}`)) as unknown as { readonly items: readonly { readonly incidentId: string }[] };
      id = items[0]?.incidentId;
      return id !== undefined;
    });
    return id ?? '';
  }

  async steps(id: string): Promise<readonly Told[]> {
    return ((await this.one(id)) as unknown as { readonly steps: readonly Told[] }).steps;
  }

  async types(id: string): Promise<readonly string[]> {
    return (await this.steps(id)).map(({ type }) => type);
  }

  async one(id: string): Promise<Record<string, unknown>> {
    return await this.service.call('GET', `/v1/incidents/${id}`);
  }

  async phase(id: string): Promise<string> {
    return String(((await this.one(id))['run'] as { readonly phase: string } | undefined)?.phase);
  }

  async reaches(id: string, phase: string): Promise<void> {
    await waitUntil(`incident ${id} is at ${phase}`, async () => (await this.phase(id)) === phase, { withinMs: 20_000 });
  }

  /** Time goes by a second at a time, until there is a step of this type: no deadline is met by haste. */
  async untilStep(id: string, type: string): Promise<void> {
    await waitUntil(`incident ${id} has ${type}`, async () => {
      await this.service.pass(1_000);
      return (await this.types(id)).includes(type);
    }, { everyMs: 200 });
  }

  /** Time goes by, and the good release does its work, until `done`. */
  async goOn(id: string, queue: string, done: (steps: readonly Told[]) => boolean, { fails = false } = {}): Promise<void> {
    await waitUntil(`incident ${id} has gone on`, async () => {
      const steps = await this.steps(id);
      if (done(steps)) return true;
      await this.service.send(...this.work(queue, fails ? 'v43' : GOOD, 3, fails));
      await this.service.pass(steps.at(-1)?.evidence?.['did'] === 'lift' ? 61_000 : 10_000);
      // A look of the run at what has come; it looks twice a second.
      await waitUntil('a look', async () => (await this.steps(id)).length > steps.length, { withinMs: 700 }).catch(() => undefined);
      return done(await this.steps(id));
    }, { withinMs: 30_000 });
  }

  /** A worker of the bad release that is alive and holds a job. */
  async bad(queue: string): Promise<BadWorker> {
    const worker = new BadWorker(this.service, queue);
    await worker.begin();
    return worker;
  }

  private work(queue: string, revision: string, many: number, fails = revision === BAD): readonly TestEvent[] {
    return Array.from({ length: many }, (): readonly TestEvent[] => {
      this.jobs += 1;
      const id = `work-${String(this.jobs)}`;
      const of = { queue, attempt: 1, worker: { id: `${revision}-${String(this.jobs % 3)}`, revision, incarnation: '1' } };
      return [
        { fact: 'queued', id, data: { queue } },
        { fact: 'started', id, data: of },
        fails ? { fact: 'failed', id, data: { ...of, error: { class: 'TypeError', message: 'to is undefined' }, retryable: false } } : { fact: 'succeeded', id, data: { ...of, durationMs: 20 } },
      ];
    }).flat();
  }
}

interface Asked {
  readonly id: string;
  readonly key: string;
}

/** Speaks as a worker does that is asked for evidence. */
export class BadWorker {
  private readonly worker = { id: 'bad-0', revision: BAD, incarnation: '1' };
  private readonly job: { readonly queue: string; readonly id: string };

  constructor(
    private readonly service: DashboardService,
    queue: string,
  ) {
    this.job = { queue, id: 'held' };
  }

  async begin(): Promise<void> {
    const { queue, id } = this.job;
    await this.service.send({ fact: 'queued', id, data: { queue } }, { fact: 'started', id, data: { queue, attempt: 1, worker: this.worker } });
    await this.beat();
  }

  /** What the service asks of it; undefined: nothing. */
  async beat(): Promise<Asked | undefined> {
    const beat = { specversion: '1.0', type: 'jobwarden.worker.heartbeat.v1', source: 'browser-test', id: crypto.randomUUID(), subject: this.worker.id, time: new Date().toISOString() };
    const data = { worker: this.worker, jobs: [this.job], runtime: { heapUsed: 900, heapLimit: 1_000 } };
    const { results } = await this.service.call('POST', '/v1/events', { ...beat, data });
    return (results as readonly { readonly evidence?: Asked }[])[0]?.evidence;
  }

  /** Answers once it is asked, and lets go of its job. */
  async answers(report: object): Promise<void> {
    let asked: Asked | undefined;
    await waitUntil('it is asked', async () => {
      asked = await this.beat();
      return asked !== undefined;
    });
    if (asked === undefined) return;
    const key = { 'jobwarden-evidence-key': asked.key };
    await this.service.text(`/v1/evidence/${asked.id}/report`, 'POST', JSON.stringify(report), { ...key, 'content-type': 'application/octet-stream' });
    await this.service.text(`/v1/evidence/${asked.id}/done`, 'POST', { refused: [{ kind: 'heap-snapshot', reason: 'the worker does not allow it' }] }, key);
    const { queue, id } = this.job;
    await this.service.send({ fact: 'failed', id, data: { queue, attempt: 1, worker: this.worker, error: { class: 'TypeError', message: 'to is undefined' }, retryable: false } });
  }
}
