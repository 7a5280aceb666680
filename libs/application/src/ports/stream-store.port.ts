import type { MessageKind } from './outbound-store.port.js';

export const STREAM_KINDS = ['commands', 'invalidations', 'incidents'] as const;
export type StreamKind = (typeof STREAM_KINDS)[number];

/**
 * Which messages a stream carries. Dead letters go with the incidents: somebody has to look at them, and there is no
 * stream of their own.
 */
export const STREAM_OF: Readonly<Record<MessageKind, StreamKind>> = {
  enqueue: 'commands',
  stop: 'commands',
  invalidation: 'invalidations',
  'dead-letter': 'incidents',
  incident: 'incidents',
};

/** What has gone out, per shard in order of places. Only committed messages are seen, and none can appear below one. */
export interface StreamStore {
  /** How far each shard has got, and below what it has been pruned. */
  heads(): Promise<StreamHeads>;
  /** The next messages after a place per shard; of each shard a gapless prefix of what there is. */
  read(kind: StreamKind, after: readonly number[]): Promise<StreamPage>;
}

export interface StreamHeads {
  /** Raised when the database was restored: places of an older epoch mean nothing any more. */
  readonly epoch: number;
  /** By shard: place of the last message. */
  readonly sent: readonly number[];
  /** By shard: messages up to this place are gone. */
  readonly pruned: readonly number[];
}

export interface StreamPage {
  /** By shard, then place. */
  readonly rows: readonly StreamRow[];
  /** By shard: everything of this kind up to here is in `rows` or was read before. */
  readonly upTo: readonly number[];
  readonly pruned: readonly number[];
  /** The stop switch. */
  readonly actionsEnabled: boolean;
}

export interface StreamRow {
  readonly shard: number;
  readonly place: number;
  readonly kind: MessageKind;
  /** null: of the whole installation. */
  readonly namespace: string | null;
  readonly queue: string | null;
  /** Of a command: the queue whose workers are meant, where it is not the job's own. */
  readonly deliverTo?: string;
  /** The CloudEvent (JSON). */
  readonly message: string;
}
