import type { JobRef } from '#libs/domain';
import type { Position } from './log-store.port.js';

/**
 * Publishing. One publisher per shard, by a lease with a fence: it reads the log from its checkpoint, sends
 * invalidations, waits for their acknowledgement, then commands, then writes its checkpoint. Each step is repeatable:
 * messages have stable ids (shard, number, kind), and whoever lost the lease cannot write.
 */
export interface OutboundStore {
  /** Takes or renews leases; answers the shards held. Free shards are taken up to a fair share. */
  hold(replicaId: string, leaseMs: number): Promise<readonly ShardLease[]>;
  release(replicaId: string): Promise<void>;
  /** Log entries that something goes out for, above `after`, in order. */
  next(shard: number, after: number, limit: number): Promise<readonly OutgoingEntry[]>;
  /** Writes messages under the fence; a message that is there already is left alone. Throws `lease_lost`. */
  send(lease: ShardLease, messages: readonly OutboundMessage[]): Promise<void>;
  /** Moves the checkpoint on under the fence. Throws `lease_lost`. */
  checkpoint(lease: ShardLease, number: number): Promise<void>;
}

export interface ShardLease {
  readonly shard: number;
  readonly holder: string;
  readonly fence: number;
  readonly checkpoint: number;
}

export type MessageKind = 'invalidation' | 'enqueue' | 'stop' | 'dead-letter';
export type MessageOutcome = 'sent' | 'skipped' | 'parked';

/** An entry together with what its job's row says now. */
export interface OutgoingEntry {
  readonly position: Position;
  readonly ref: JobRef;
  readonly keyHex: string;
  readonly queueId: number;
  readonly type: number;
  readonly n: number | null;
  readonly source: string;
  readonly id: string;
  readonly laneMs: number;
  readonly data: string;
  /** The row's state text; null when its period is gone. */
  readonly state: string | null;
}

export interface OutboundMessage {
  readonly position: Position;
  readonly kind: MessageKind;
  readonly ref: JobRef;
  readonly keyHex: string;
  readonly queueId: number;
  readonly outcome: MessageOutcome;
  /** Why it was skipped or parked. */
  readonly detail: string | null;
  /** The CloudEvent as it goes out (JSON). */
  readonly message: string;
  readonly laneMs: number;
}
