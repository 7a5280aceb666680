import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Incidents } from '#libs/application';
import type { IncidentStepDraft } from '#libs/domain';
import { simulatedPool } from '#libs/orchestrators';
import { Database, PgIncidentStore, QueueIds } from '#libs/postgres';
import { waitUntil } from '#libs/testing';
import type { DashboardService, TestEvent } from './harness/service.js';

export const BAD = 'v42';
export const GOOD = 'v41';
/** Rolled back by refusal alone: its queue names no target. */
export const ALONE = 'mails';
/** Its workers are calculated. */
export const TARGET = 'simulated:mailer';

export const INCIDENT_POLICY = `
queues:
  ${ALONE}: {readmit: {steps: [50, 100], hold: 1s, minSample: 3}}
  letters: {actions: {rollback: approve, throttle: approve}, rollback: {target: "${TARGET}", approval: true}}
  stamps: {}
`;

/** A file with a pool of three workers of the bad release. */
export function simulatedFile(): string {
  const path = join(mkdtempSync(join(tmpdir(), 'jobwarden-pools-')), 'pools.json');
  writeFileSync(path, JSON.stringify({ mailer: simulatedPool({ revisions: [GOOD, BAD], nowMs: Date.now() - 60_000 }) }));
  return path;
}

const PLAN = ['let one queue in at 1 % of what is normal', `refuse ${BAD} everywhere`, `give ${TARGET} the release of ${GOOD}, with 3 replicas as now`];

/** What the log would say of a bad release, in the words of the service. */
export const ASSESSED: IncidentStepDraft = {
  type: 'cause-assessed',
  by: 'jobwarden',
  reason: `bad_revision: ${BAD}, with a confidence of 0.97`,
  evidence: {
    ...{ cause: 'bad_revision', subject: BAD, confidence: 0.97, selfSustained: true, action: 'rollback', firstSeenMs: null },
    says: [
      { says: `Revision ${BAD} fails where other revisions succeed: at the same time, on the same kinds of the same queues.`, figures: { revision: BAD, bad: 41, ended: 50, othersBad: 1, othersEnded: 120 } },
      { says: 'Healthy: <img src=x onerror=alert(1)>\u202e', figures: { revision: GOOD } },
    ],
    plan: { does: 'roll-back', throttles: true, needsApproval: true, held: null, refused: null },
  },
};

export class IncidentStories {
  private readonly database: Database;
  private readonly incidents: Incidents;

  constructor(private readonly service: DashboardService) {
    this.database = new Database({ url: service.database.url, poolSize: 2, role: 'jobwarden_app' });
    this.incidents = new Incidents(new PgIncidentStore(this.database, new QueueIds(this.database)));
  }

  async close(): Promise<void> {
    await this.database.close();
  }

  /** Makes a queue known: an event has named it. */
  async know(...queues: readonly string[]): Promise<void> {
    await this.service.send(...queues.map((queue): TestEvent => ({ fact: 'queued', id: 'first', data: { queue } })));
  }

  async one(id: string): Promise<Record<string, unknown>> {
    return await this.service.call('GET', `/v1/incidents/${id}`);
  }

  /** Adds a step behind those that are there, whatever they are by now. */
  async say(id: string, draft: IncidentStepDraft): Promise<void> {
    await waitUntil(`${draft.type} is written`, async () => {
      const { steps } = (await this.one(id)) as { readonly steps: readonly unknown[] };
      return (await this.incidents.advance(id, steps.length, draft)) !== 'stale';
    });
  }

  /** One that waits for an approval while the stop switch is off: it stands still until it is on again. */
  async waiting(): Promise<string> {
    await this.service.call('PUT', '/v1/actions', { enabled: false, reason: 'while we look' });
    const opened = await this.service.call('POST', '/v1/incidents', { target: TARGET, reason: 'letters pile up' });
    const id = String(opened['incidentId']);
    await this.say(id, ASSESSED);
    await this.say(id, { type: 'approval-requested', by: 'jobwarden', reason: `a person has to approve: ${PLAN.join(', then ')}`, evidence: { plan: PLAN, deadlineMs: Date.now() + 3_600_000 } });
    return id;
  }

  /** Work of the good release that succeeds. */
  async succeeds(queue: string, from: number, many: number): Promise<void> {
    const worker = { id: 'good-1', revision: GOOD, incarnation: 'good-1' };
    for (let i = from; i < from + many; i += 1) {
      const id = `work-${String(i)}`;
      await this.service.send(
        { fact: 'queued', id, data: { queue } },
        { fact: 'started', id, data: { queue, attempt: 1, worker } },
        { fact: 'succeeded', id, data: { queue, attempt: 1, worker, durationMs: 20 } },
      );
    }
  }

  async status(id: string): Promise<string> {
    return String((await this.one(id))['status']);
  }

  async types(id: string): Promise<readonly string[]> {
    const { steps } = (await this.one(id)) as { readonly steps: readonly { readonly type: string }[] };
    return steps.map(({ type }) => type);
  }
}
