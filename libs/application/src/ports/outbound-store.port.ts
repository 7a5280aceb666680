import type { IncidentStep, JobRef, JobState } from '#libs/domain';
import type { Position } from './log-store.port.js';

/**
 * Publishing, as the database sees it. One publisher per shard, by a lease with a fence; all that it writes, it writes
 * under that fence, so whoever lost the lease cannot write any more.
 *
 * Messages have stable ids (shard, number, kind): writing one again changes nothing, unless it was parked. Each message
 * that goes out gets the shard's next place, under a lock that is held to the commit: order of places is order of
 * commits, so a reader of the streams needs no horizon and misses nothing, also when a parked message goes out late.
 */
export interface OutboundStore {
  /** Shards that this replica holds and that have something to publish or to retry. */
  work(replicaId: string): Promise<readonly ShardWork[]>;
  /** Log entries that something goes out for, above `after`, in order. */
  next(shard: number, after: number, limit: number): Promise<readonly OutgoingEntry[]>;
  /** Entries whose parked message somebody wants tried again, in order. */
  retries(shard: number, limit: number): Promise<readonly OutgoingEntry[]>;
  /** Steps of incidents above `after`, in order: they have a checkpoint of their own. */
  incidentSteps(shard: number, after: number, limit: number): Promise<readonly OutgoingStep[]>;
  /** One transaction under the fence. Throws RetryableError `lease_lost`; then nothing was written. */
  transact<T>(lease: ShardLease, work: (tx: OutboundTransaction) => Promise<T>): Promise<T>;
  /** Moves the checkpoint on, never back, under the fence. Throws `lease_lost`. */
  checkpoint(lease: ShardLease, number: number): Promise<void>;
  /** The same for incidents. */
  incidentCheckpoint(lease: ShardLease, number: number): Promise<void>;
}

/** Who publishes which shard. By the database's real clock; safe to call from any number of replicas at once. */
export interface PublisherLeases {
  /**
   * Renews what this replica holds, gives back what is above its fair share, takes free shards up to it. The fence of a
   * shard rises whenever it is taken. Answers the shards now held.
   */
  hold(replicaId: string, leaseMs: number): Promise<readonly ShardLease[]>;
  /** Gives everything back, so that the others need not wait for the lease's end. */
  release(replicaId: string): Promise<void>;
}

export interface OutboundTransaction {
  /** The stop switch, read in this transaction. */
  readonly actionsEnabled: boolean;
  /** Locks the rows against writers until the commit and answers their states by key; a job that is gone is absent. */
  lockJobs(keys: readonly string[]): Promise<ReadonlyMap<string, JobState>>;
  /** Outcomes of the messages that are there already for these entries, by {@link messageKey}. */
  outcomes(numbers: readonly number[]): Promise<ReadonlyMap<string, MessageOutcome>>;
  /** Entries of these jobs with a parked message, in order. */
  parked(keys: readonly string[]): Promise<readonly OutgoingEntry[]>;
  /** What enqueue commands carry besides the log's own words. */
  attachments(wanted: readonly AttachmentRequest[]): Promise<readonly Attachments[]>;
  /**
   * Writes messages in the order given. One that is there already is left alone, unless it was parked or is to be parked
   * now: a sink has refused what the table had taken.
   */
  write(messages: readonly OutboundMessage[]): Promise<void>;
}

export function messageKey(number: number, kind: MessageKind): string {
  return `${String(number)}/${kind}`;
}

export interface ShardLease {
  readonly shard: number;
  readonly holder: string;
  /** Rises with each take-over. */
  readonly fence: number;
  readonly checkpoint: number;
  /** How far the steps of incidents have gone out. */
  readonly incidentCheckpoint: number;
}

export interface ShardWork {
  readonly lease: ShardLease;
  readonly entries: boolean;
  readonly retries: boolean;
  readonly incidents: boolean;
}

export const MESSAGE_KINDS = ['invalidation', 'enqueue', 'stop', 'dead-letter', 'incident'] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];
export type MessageOutcome = 'sent' | 'skipped' | 'parked';

/** An entry together with what its job's row says now, without a lock. */
export interface OutgoingEntry {
  readonly position: Position;
  readonly ref: JobRef;
  readonly keyHex: string;
  readonly queueId: number;
  readonly period: number;
  readonly type: number;
  readonly n: number | null;
  readonly source: string;
  readonly id: string;
  readonly laneMs: number;
  readonly data: string;
  /** The row's state text. */
  readonly state: string;
  /** Of a dead letter: the job's events from which something may have been cut, for `cutsOf`. */
  readonly cuts?: string;
}

/** A step of an incident, with what its message tells of the incident. */
export interface OutgoingStep {
  readonly position: Position;
  readonly incidentId: string;
  readonly kind: string;
  readonly subject: string;
  /** null: of the whole installation. */
  readonly queue: { readonly namespace: string; readonly queue: string; readonly queueId: number } | null;
  readonly summary: string;
  readonly openedMs: number;
  readonly step: IncidentStep;
}

export interface AttachmentRequest {
  readonly keyHex: string;
  readonly period: number;
  /** The attempt that the command grants: progress is that of the newest attempt below it. */
  readonly attempt: number;
  /** Hash of the payload, where it lies beside the log. */
  readonly payloadHash: string | null;
  /** Hex of the event key of the decision that granted the attempt, where it sent an invalidation. */
  readonly grantKey: string | null;
}

/** One per request, in the same order. */
export interface Attachments {
  /** JSON text; null: not asked for, erased, or never there. */
  readonly payload: string | null;
  /** JSON text as the emitter reported it. */
  readonly progress: string | null;
  readonly grant: Position | null;
}

export interface OutboundMessage {
  readonly position: Position;
  readonly kind: MessageKind;
  readonly keyHex: string;
  /** null: of the whole installation, as incidents may be. */
  readonly queueId: number | null;
  /** Messages with the same words keep their order, on any way out: `namespace/queue/id` of the job. */
  readonly orderKey: string;
  readonly outcome: MessageOutcome;
  /** Why it was skipped or parked. */
  readonly detail: string | null;
  readonly laneMs: number;
  /** The CloudEvent as it goes out (JSON); without its payload where it does not go out. */
  readonly message: string;
  /** Names of the webhooks that get it as well. */
  readonly webhooks: readonly string[];
  /** Of a command: the queue whose workers are meant; left out or null: the job's own. */
  readonly deliverTo?: string | null;
}
