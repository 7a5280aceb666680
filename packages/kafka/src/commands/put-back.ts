import { RefusedCallError, type Client, type EnqueueCommand, type JobView } from '@jobwarden/client';
import type { Producer } from 'kafkajs';
import { putBackHeaders, type HandedOver } from '../headers.js';
import { messageOf } from '../payload.js';
import { parseRunId } from '../run-id.js';

/**
 * What became of a command.
 *
 * `put-back`: its record is on the topic. `older`: the job has gone on since, or is over. `foreign`: of a group that reads the
 * same topic. `no-payload`: Jobwarden has nothing to make a record of; it is on its topic, if Kafka has it still.
 */
export type PutBack = 'put-back' | 'older' | 'foreign' | 'no-payload';

export interface PuttingBack {
  readonly client: Pick<Client, 'job'>;
  readonly producer: Pick<Producer, 'send'>;
  readonly groupId: string;
  /** Default: the topic that the record came from. */
  readonly retryTopic: string | undefined;
}

/**
 * Makes a record of a command, with key, value and headers of the first one, and with job, attempt and token in headers of its
 * own: so it is the same job, whatever its offset.
 *
 * Kafka keeps no set of what was written, so a command that comes twice may be two records. They say the same, and of the
 * claims that name a token one is granted: the other record is dropped. What is over already is not written at all.
 */
export async function putBack(command: EnqueueCommand, { client, producer, groupId, retryTopic }: PuttingBack): Promise<PutBack> {
  const { subject: jobId, data } = command;
  const { queue, attempt, token, deliverTo } = data;
  const native = parseRunId(jobId);
  if (native !== null && native.groupId !== groupId) return 'foreign';
  const job = await viewOf(client, queue, jobId);
  if (job?.status !== 'requeued' || job.attempt !== attempt || job.token !== token) return 'older';
  if (data.payload === undefined) return 'no-payload';
  const message = messageOf(data.payload);
  const headers = { ...message.headers, ...putBackHeaders({ queue, jobId, attempt, token, command: handedOver(data) }) };
  const topic = deliverTo ?? retryTopic ?? native?.topic ?? queue;
  const answers = await producer.send({ topic, acks: -1, messages: [{ ...message, headers }] });
  // kafkajs may leave the partition out of what it repeats when its leader moves, and takes that for success.
  if (answers.length === 0) throw new Error(`no partition of ${topic} has acknowledged the record of ${jobId}`);
  return 'put-back';
}

/** null: nothing is known of it, or no more. */
async function viewOf(client: Pick<Client, 'job'>, queue: string, id: string): Promise<JobView | null> {
  try {
    return await client.job({ queue, id });
  } catch (error) {
    if (error instanceof RefusedCallError && error.code === 'retired') return null;
    throw error;
  }
}

function handedOver({ reason, previousWorker, progress, invalidation, trace }: EnqueueCommand['data']): HandedOver {
  return {
    reason,
    ...(previousWorker !== undefined && { previousWorker }),
    ...(progress !== undefined && { progress }),
    ...(invalidation !== undefined && { invalidation }),
    ...(trace !== undefined && { trace }),
  };
}
