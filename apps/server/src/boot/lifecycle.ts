import { EventEmitter, once } from 'node:events';

/**
 * Where the process stands. Only forwards:
 *
 *   starting → migrating → ready → draining
 */
export const PHASES = ['starting', 'migrating', 'ready', 'draining'] as const;
export type Phase = (typeof PHASES)[number];

export class Lifecycle {
  private current: Phase = 'starting';
  private readonly changes = new EventEmitter();
  private readonly draining = new AbortController();

  get phase(): Phase {
    return this.current;
  }

  /** Aborted when the process begins to end: whatever streams has to finish. */
  get ending(): AbortSignal {
    return this.draining.signal;
  }

  to(phase: Phase): void {
    if (PHASES.indexOf(phase) <= PHASES.indexOf(this.current)) return;
    this.current = phase;
    if (phase === 'draining') this.draining.abort();
    this.changes.emit('change');
  }

  async until(phase: Phase): Promise<void> {
    while (PHASES.indexOf(this.current) < PHASES.indexOf(phase)) await once(this.changes, 'change');
  }
}
