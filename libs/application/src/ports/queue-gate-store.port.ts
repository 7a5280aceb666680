import type { Gate, JobRef } from '#libs/domain';
import type { RunAt } from './run-store.port.js';

type QueueName = Pick<JobRef, 'namespace' | 'queue'>;

/** What operators let through of a queue. */
export interface QueueGate extends QueueName {
  /** Of the decision that set it so. */
  readonly n: number;
  readonly gate: Gate;
  /** Claims per second; null unless throttled. */
  readonly perSecond: number | null;
  readonly reason: string;
  readonly by: string;
  /** Lane time, ms. */
  readonly setMs: number;
  /** When a pause last ended, lane time ms; 0: there was none. */
  readonly resumedMs: number;
}

export type GateChange = Pick<QueueGate, 'namespace' | 'queue' | 'gate' | 'perSecond' | 'reason' | 'by'>;

export interface QueueGateStore {
  /** Of every queue that was ever paused or throttled. */
  all(): Promise<readonly QueueGate[]>;
  /**
   * Sets it, keeps the decision beside it, and brings up at once what a pause has held. In one transaction; setting it
   * again is another decision, and harmless.
   */
  set(change: GateChange): Promise<QueueGate>;
  /**
   * The same, for a run, where the gate is as it was judged (null: there was none) and so is the run. null: one of them is
   * not, and nothing is set: what a person has decided since stays.
   */
  setFor(run: RunAt, judged: QueueGate | null, change: GateChange): Promise<QueueGate | null>;
  /**
   * How long to wait for the next permit of a throttled queue, ms; 0: there is one, or none is needed. Takes nothing: a
   * permit goes with what it lets begin, see `permit` of a write set.
   */
  untilPermit(queue: QueueName): Promise<number>;
}
