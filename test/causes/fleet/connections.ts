import type { Agenda } from '../agenda.js';
import type { Run } from './run.js';

type Refusal = 'too-many-clients' | 'pool-timeout';

/** Connections to the fleet's database: so many for each worker, and so many in all. */
export class Connections {
  private inUse = 0;
  /** Taken by programs that are none of ours. */
  strangers = 0;

  constructor(
    private readonly agenda: Agenda,
    private readonly slots: number,
    private readonly poolTimeoutMs: number,
  ) {}

  take(run: Run, granted: () => void, refused: (why: Refusal) => void): void {
    const { worker } = run;
    if (worker.connectionsInUse >= worker.pool.connections) {
      let over = false;
      worker.waitingForConnection.push(() => {
        if (over || run.over) return false;
        over = true;
        this.connect(run, granted, refused);
        return true;
      });
      this.agenda.after(this.poolTimeoutMs, () => {
        if (over || run.over) return;
        over = true;
        refused('pool-timeout');
      });
      return;
    }
    this.connect(run, granted, refused);
  }

  /** The run ends and its connection is never given back. */
  leak(run: Run): void {
    run.worker.connectionsLeaked += 1;
    run.worker.connectionsInUse += 1;
    this.inUse += 1;
  }

  /** The server closes what a process leaves behind. */
  processGone(run: Run['worker']): void {
    this.inUse -= run.connectionsLeaked;
    run.connectionsInUse -= run.connectionsLeaked;
    run.connectionsLeaked = 0;
  }

  private connect(run: Run, granted: () => void, refused: (why: Refusal) => void): void {
    if (this.inUse + this.strangers >= this.slots) {
      refused('too-many-clients');
      return;
    }
    this.inUse += 1;
    run.worker.connectionsInUse += 1;
    run.held.push(() => {
      this.inUse -= 1;
      run.worker.connectionsInUse -= 1;
      const waiting = run.worker.waitingForConnection;
      while (waiting.length > 0 && waiting.shift()?.() !== true);
    });
    granted();
  }
}
