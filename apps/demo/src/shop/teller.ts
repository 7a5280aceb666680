import { setTimeout as delay } from 'node:timers/promises';
import type { EnqueueCommandData } from '@jobwarden/client';
import type { Journal } from '../journal.js';
import { PAGES } from '../pages.js';
import type { CrewMember } from './crew.js';
import { incidentLine, type IncidentSeen, type StepSeen } from './incident-line.js';
import { INVOICES, ORDERS } from './settings.js';

export interface TellerOptions {
  readonly baseUrl: string;
  readonly journal: Journal;
  readonly signal: AbortSignal;
}

const LOOK_EVERY_MS = 1_000;

/** Says on the terminal what happens in the second act, and which page shows it. It only looks. */
export class Teller {
  private readonly redriven = new Set<string>();
  private readonly stood = new Map<string, number>();
  private readonly signed = new Set<string>();

  constructor(private readonly options: TellerOptions) {}

  released(revision: string): void {
    this.options.journal.tell('RELEASE', ORDERS, `${revision} is rolled out to half of its workers`, PAGES.overview);
  }

  release(queue: string, { name, revision }: CrewMember, state: 'refused' | 'admitted'): void {
    this.options.journal.say('', `${name} of ${queue}: its release ${revision} is ${state === 'refused' ? 'out of service, it begins nothing more' : 'let in again'}`);
  }

  /** Of a letter that somebody has redriven. */
  commanded(id: string, { queue, attempt }: EnqueueCommandData): void {
    if (queue !== INVOICES || attempt === 1) return;
    this.redriven.add(id);
    this.options.journal.tell('DONE', id, `it is sent round again, as attempt ${attempt}`, PAGES.job(id, queue));
  }

  done(queue: string, { id, said }: { readonly id: string; readonly said: string }): void {
    if (queue === INVOICES && this.redriven.delete(id)) this.options.journal.tell('BACK', id, `succeeded: ${said}`, PAGES.job(id, queue));
  }

  /** The incidents of the shop, step by step. */
  async follow(): Promise<void> {
    const { signal } = this.options;
    while (!signal.aborted) {
      const { items = [] } = (await this.read<{ readonly items: readonly IncidentSeen[] }>(`/v1/incidents?queue=${ORDERS}`)) ?? {};
      for (const { incidentId } of items) await this.incident(incidentId);
      await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async incident(id: string): Promise<void> {
    if (this.signed.has(id)) return;
    const seen = await this.read<IncidentSeen & { readonly steps: readonly StepSeen[] }>(`/v1/incidents/${id}`);
    if (seen === null) return;
    const { journal } = this.options;
    for (const step of seen.steps.slice(this.stood.get(id) ?? 0)) {
      const line = incidentLine(step);
      if (line !== null) journal.tell('', `incident ${id}`, line, step.type === 'resolved' ? PAGES.postmortem(id) : PAGES.incident(id));
    }
    this.stood.set(id, seen.steps.length);
    if (seen.status !== 'resolved') return;
    const postmortem = await this.read<{ readonly signature: { readonly by: string } | null }>(`/v1/incidents/${id}/postmortem`);
    if (postmortem?.signature == null) return;
    this.signed.add(id);
    journal.tell('DONE', `incident ${id}`, `its postmortem is signed by ${postmortem.signature.by}`);
  }

  /** null: the service is away, or ends. */
  private async read<T>(path: string): Promise<T | null> {
    try {
      const response = await fetch(this.options.baseUrl + path, { signal: AbortSignal.any([this.options.signal, AbortSignal.timeout(5_000)]) });
      return response.ok ? ((await response.json()) as T) : null;
    } catch {
      return null;
    }
  }
}
