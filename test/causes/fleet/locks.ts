import type { Agenda } from '../agenda.js';
import type { Run } from './run.js';

type Refusal = 'deadlock' | 'timeout';
interface Waiter {
  readonly run: Run;
  readonly take: () => void;
}

/** PostgreSQL looks for a deadlock only after this long. */
const DEADLOCK_AFTER_MS = 1_000;

/** Locks of the fleet's database and lock library: one holder each, the others wait in turn. */
export class Locks {
  private readonly holders = new Map<string, Run | 'stranger'>();
  private readonly waiters = new Map<string, Waiter[]>();
  private readonly wanted = new Map<Run, string>();

  constructor(
    private readonly agenda: Agenda,
    private readonly timeoutMs: number,
  ) {}

  /** `granted` when the run has it, which may be at once; `refused` when it is chosen as a deadlock's victim, or waits too long. */
  take(run: Run, resource: string, granted: () => void, refused: (why: Refusal) => void): void {
    const holder = this.holders.get(resource);
    if (holder === undefined) {
      this.give(run, resource);
      granted();
      return;
    }
    const waiter: Waiter = { run, take: granted };
    const queue = this.waiters.get(resource) ?? [];
    queue.push(waiter);
    this.waiters.set(resource, queue);
    this.wanted.set(run, resource);
    run.waitsFor = { resource, holder: holder === 'stranger' ? null : holder.worker.told.id, sinceMs: this.agenda.nowMs };
    const giveUp = (why: Refusal): void => {
      if (run.over || this.wanted.get(run) !== resource) return;
      this.leave(run);
      refused(why);
    };
    if (this.timeoutMs > DEADLOCK_AFTER_MS) {
      this.agenda.after(DEADLOCK_AFTER_MS, () => { if (this.inCycle(run)) giveUp('deadlock'); });
    }
    this.agenda.after(this.timeoutMs, () => { giveUp('timeout'); });
  }

  /** Somebody outside the fleet takes it, as soon as it is free, and keeps it. */
  takeByStranger(resource: string): void {
    this.holders.set(resource, 'stranger');
  }

  /** The run waits no more, whatever for. */
  leave(run: Run): void {
    const resource = this.wanted.get(run);
    if (resource === undefined) return;
    this.wanted.delete(run);
    run.waitsFor = null;
    const queue = this.waiters.get(resource);
    const at = queue?.findIndex((waiter) => waiter.run === run) ?? -1;
    if (at >= 0) queue?.splice(at, 1);
  }

  free(resource: string, run: Run): void {
    if (this.holders.get(resource) !== run) return;
    this.holders.delete(resource);
    const next = this.waiters.get(resource)?.shift();
    if (next === undefined) return;
    this.wanted.delete(next.run);
    next.run.waitsFor = null;
    this.give(next.run, resource);
    for (const waiter of this.waiters.get(resource) ?? []) {
      if (waiter.run.waitsFor !== null) waiter.run.waitsFor = { ...waiter.run.waitsFor, holder: next.run.worker.told.id };
    }
    next.take();
  }

  private give(run: Run, resource: string): void {
    this.holders.set(resource, run);
    run.held.push(() => { this.free(resource, run); });
  }

  private inCycle(start: Run): boolean {
    let run = start;
    for (let steps = 0; steps < 64; steps += 1) {
      const resource = this.wanted.get(run);
      const holder = resource === undefined ? undefined : this.holders.get(resource);
      if (holder === undefined || holder === 'stranger') return false;
      if (holder === start) return true;
      run = holder;
    }
    return false;
  }
}
