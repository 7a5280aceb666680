import type { Consumer, ConsumerRunConfig, EachBatchHandler, EachBatchPayload, EachMessagePayload } from 'kafkajs';
import { commitConflict, OwnersError } from '../owners/conflict.js';
import { waitBeating } from './heartbeats.js';
import { stepOut } from './step-out.js';
import { look, type RecordHandler, type Running } from './look.js';

export interface RunOptions extends Omit<ConsumerRunConfig, 'eachMessage' | 'eachBatch' | 'eachBatchAutoResolve'> {
  /** What to consume. The retry topic is added. */
  readonly topics: readonly string[];
  /** Of topics on which the group has committed nothing yet; as kafkajs has it. Default false. */
  readonly fromBeginning?: boolean;
  readonly eachMessage: RecordHandler;
}

/** What is waited for no longer is waited for in its place; the partition is paused for the rest. */
const SHORT_MS = 1_000;

/** In place of `consumer.subscribe` and `consumer.run`. @throws OwnersError, and nothing is consumed. */
export async function runConsumer(consumer: Consumer, options: RunOptions, running: Running, retryTopic: string | undefined): Promise<void> {
  const { topics, fromBeginning = false, eachMessage, ...config } = options;
  const conflict = commitConflict(running.owner, config.autoCommit);
  if (conflict !== null) throw new OwnersError(conflict);
  await Promise.all(topics.map((topic) => running.check(topic)));
  await consumer.subscribe({ topics: [...topics], fromBeginning });
  // What was put back before the group has read anything of it must not be missed.
  if (retryTopic !== undefined) await consumer.subscribe({ topics: [retryTopic], fromBeginning: true });
  // At every record: what is handed out again is claimed again.
  const leave = stepOut(consumer, () => join(), running);
  const join = async (): Promise<void> => {
    await consumer.run({ autoCommitThreshold: 1, ...config, eachBatchAutoResolve: false, eachBatch: eachBatch({ running, handler: eachMessage, leave }) });
  };
  await join();
}

interface Reading {
  readonly running: Running;
  readonly handler: RecordHandler;
  /** This release is out of service in a queue: others are to have its partitions. */
  readonly leave: (queue: string) => void;
}

/**
 * A batch by its records, each resolved when it is done. At one that is not, the rest of the batch is left: it is fetched again
 * from there when the partition is resumed, and other partitions go on meanwhile.
 */
function eachBatch(reading: Reading): EachBatchHandler {
  return async (batch) => {
    for (const message of batch.batch.messages) {
      if (!batch.isRunning() || batch.isStale()) return;
      const paused = { is: false };
      if (!(await isPassed(reading, payloadOf(batch, message, paused)))) return;
      batch.resolveOffset(message.offset);
      await batch.heartbeat();
      await batch.commitOffsetsIfNecessary();
      if (paused.is) return;
    }
  };
}

async function isPassed({ running, handler, leave }: Reading, payload: EachMessagePayload): Promise<boolean> {
  for (;;) {
    const seen = await look(running, payload, handler);
    if (seen.kind === 'done') return true;
    if (seen.kind === 'closed') {
      // Else it is fetched, and left, again and again until the consumer stops.
      payload.pause();
      return false;
    }
    if (seen.kind === 'refused') {
      // Not fetched again until the consumer has left, and left as it is for whoever gets the partition.
      const resume = payload.pause();
      setTimeout(resume, seen.ms).unref();
      leave(seen.queue);
      return false;
    }
    if (seen.ms > SHORT_MS) {
      const resume = payload.pause();
      setTimeout(resume, seen.ms).unref();
      return false;
    }
    await waitBeating(seen.ms, () => payload.heartbeat(), running.closing);
  }
}

/** As kafkajs hands one to an `eachMessage`. */
function payloadOf(of: EachBatchPayload, message: EachMessagePayload['message'], paused: { is: boolean }): EachMessagePayload {
  const { topic, partition } = of.batch;
  return {
    ...{ topic, partition, message },
    heartbeat: () => of.heartbeat(),
    pause: () => {
      paused.is = true;
      return of.pause();
    },
  };
}
