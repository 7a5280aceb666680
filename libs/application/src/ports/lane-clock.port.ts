import type { QueuePolicy } from '#libs/domain';

/**
 * How far the lanes have been read. A deadline that an unread event could clear counts only up to `readMs`.
 *
 * HTTP: each live replica says four times a second up to which lane time every request that reached it has been
 * appended or answered; the lane is read as far as the least of them. A replica that has not said anything for
 * {@link REPLICA_DEAD_AFTER_MS} is not live. After a time without any live replica (a gap) leases run again in full.
 *
 * Kafka: each partition is a lane, read as far as the append time of the last record that was stored; ticks see to it
 * that there is one. The transport is read as far as the partition that is furthest behind, since only the emitter
 * knows which key keeps a job together.
 */
export interface LaneClock {
  read(): Promise<LaneReading>;
  /** Tells at once what this replica has read, instead of with its next beat: for a look that somebody waits for. */
  refresh(): Promise<void>;
}

export interface LaneReading {
  /** Lane time now, ms: the database's clock, or the manual one. */
  readonly nowMs: number;
  readonly actionsEnabled: boolean;
  readonly epoch: number;
  readonly http: TransportReading;
  /** null: no partition was ever read, and nothing can come that way. */
  readonly kafka: TransportReading | null;
}

export interface TransportReading {
  /** Everything that arrived before it has been read, ms. */
  readonly readMs: number;
  /** End of the last time in which nothing could arrive, ms; 0: there was none. */
  readonly gapEndMs: number;
  /** The lane that is furthest behind, by name. */
  readonly heldBy: string;
}

export type HeartbeatTransport = QueuePolicy['heartbeatTransport'];

/**
 * What a queue's deadlines are gated by. Where the policy names no transport an event may come by either, whatever came
 * so far: the one that is further behind counts, and the later gap.
 */
export function readingFor({ http, kafka }: LaneReading, transport: HeartbeatTransport): TransportReading {
  if (kafka === null || transport === 'http') return http;
  if (transport === 'kafka') return kafka;
  const behind = kafka.readMs < http.readMs ? kafka : http;
  return { ...behind, gapEndMs: Math.max(http.gapEndMs, kafka.gapEndMs) };
}

/** Ends of the last gaps by transport, lane time ms; 0: there was none. */
export interface LaneGaps {
  readonly http: number;
  readonly kafka: number;
}

export function gapEndFor({ http, kafka }: LaneGaps, transport: HeartbeatTransport): number {
  return transport === 'auto' ? Math.max(http, kafka) : transport === 'http' ? http : kafka;
}

export const REPLICA_DEAD_AFTER_MS = 5_000;
export const REPLICA_BEAT_EVERY_MS = 250;
