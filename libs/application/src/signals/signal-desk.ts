import { silencedBy } from '#libs/domain';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { MaintenanceStore, Signal, SignalStore } from '../ports/signal-store.port.js';

/** Where signals are taken up. Calls may be repeated; all throw RetryableError when the database is away. */
export interface SignalDesk {
  /** Firing, not settled, not assigned. What a maintenance window covers is settled, and open again after its end. */
  open(): Promise<readonly Signal[]>;
  assign(ids: readonly string[], incidentId: string): Promise<void>;
  /** One of `SETTLEMENTS`. With `until` (lane time), as of a cool-down, it is open again from then on if it still fires; until then it shows why. */
  settle(ids: readonly string[], why: string, until?: { readonly ms: number; readonly detail: string }): Promise<void>;
  /** Of the incident, and still firing. */
  standing(incidentId: string): Promise<readonly Signal[]>;
}

export interface SignalDeskParts {
  readonly store: Pick<SignalStore, 'unassigned' | 'assign' | 'settle' | 'standing' | 'nowMs'>;
  readonly windows: Pick<MaintenanceStore, 'standing'>;
  readonly policies: PolicySource;
  /** What changed by itself: for the log. */
  readonly settled: (signals: readonly Signal[], why: string | null) => void;
}

type Unassigned = Awaited<ReturnType<SignalStore['unassigned']>>[number];

export class Signals implements SignalDesk {
  constructor(private readonly parts: SignalDeskParts) {}

  async open(): Promise<readonly Signal[]> {
    const { store, windows } = this.parts;
    const all = await store.unassigned();
    if (all.length === 0) return [];
    const [nowMs, standing] = await Promise.all([store.nowMs(), windows.standing()]);
    const open: Signal[] = [];
    const reopened: Signal[] = [];
    const silenced: Unassigned[] = [];
    for (const signal of all) {
      const target = this.targetOf(signal);
      if (silencedBy({ ...signal, target }, standing, nowMs) !== null) {
        if (signal.settled === null) silenced.push(signal);
      } else if (signal.settled === null) open.push(signal);
      else if (signal.settled === 'maintenance' || (signal.settledUntilMs ?? Infinity) <= nowMs) reopened.push({ ...signal, settled: null });
    }
    await this.settleAll(silenced, 'maintenance');
    await this.settleAll(reopened, null);
    return [...open, ...reopened];
  }

  async assign(ids: readonly string[], incidentId: string): Promise<void> {
    await this.parts.store.assign(ids, incidentId);
  }

  async settle(ids: readonly string[], why: string, until?: { readonly ms: number; readonly detail: string }): Promise<void> {
    await this.parts.store.settle(ids, why, until ?? null);
  }

  async standing(incidentId: string): Promise<readonly Signal[]> {
    return await this.parts.store.standing(incidentId);
  }

  private targetOf({ namespace, queue }: Signal): string | null {
    return this.parts.policies.policyFor({ namespace, queue }, null).policy.rollback.target;
  }

  private async settleAll(signals: readonly Signal[], why: string | null): Promise<void> {
    if (signals.length === 0) return;
    await this.parts.store.settle(
      signals.map(({ id }) => id),
      why,
    );
    this.parts.settled(signals, why);
  }
}
