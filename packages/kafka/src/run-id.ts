/**
 * One record of a topic, as one consumer group handles it, as one run of Jobwarden's.
 *
 * Topic, partition and offset name a record, but a topic that is made anew counts from 0 again: so its timestamp goes with
 * them, which a redelivery does not change. And each group that reads the topic does work of its own on it, which must not
 * count as done for the others: `mails-0-42@1764470000000:mailer`. Topics hold neither `@` nor `:`; groups may hold anything.
 */

export interface NativeRun {
  readonly topic: string;
  readonly partition: number;
  /** As Kafka counts; it may be above what a number can say. */
  readonly offset: string;
  /** The record's timestamp, ms since 1970; -1: it has none. */
  readonly createdMs: number;
  readonly groupId: string;
}

export function runId({ topic, partition, offset, createdMs, groupId }: NativeRun): string {
  return `${topic}-${String(partition)}-${offset}@${String(createdMs)}:${groupId}`;
}

const RUN_ID = /^([^@:]+)-(0|[1-9]\d{0,9})-(0|[1-9]\d{0,18})@(-1|0|[1-9]\d{0,14}):(.+)$/su;

/** Null for an id that no binding of Kafka has made. */
export function parseRunId(jobId: string): NativeRun | null {
  const [, topic, partition, offset, created, groupId] = RUN_ID.exec(jobId) ?? [];
  if (topic === undefined || offset === undefined || groupId === undefined) return null;
  return { topic, partition: Number(partition), offset, createdMs: Number(created), groupId };
}
