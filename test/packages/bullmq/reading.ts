import { runId, type Bullmq, type PutBack } from '@jobwarden/bullmq';
import type { Job, Queue } from 'bullmq';
import type { Stage } from './stage.js';

/** A queue whose commands are read. */
export interface Reading {
  readonly queue: Queue;
  readonly outcomes: (PutBack | 'stopped' | 'none')[];
  /** Sends an enqueue command for the job's run, and answers what became of it. */
  command(job: Pick<Job, 'id' | 'timestamp'>, more?: object): Promise<string>;
}

export async function readingOf(stage: Stage, queue: Queue, owner: Bullmq['owner'] = 'jobwarden'): Promise<Reading> {
  stage.jobwarden.policy = { owner, 'actions.requeue': 'act' };
  const readers = stage.jobwarden.readers;
  const outcomes: Reading['outcomes'] = [];
  const consumer = stage.keep(stage.bullmq({ owner }).consumeCommands(queue, { onCommand: (_, outcome) => outcomes.push(outcome) }));
  await consumer.ready;
  await stage.until('it reads', () => stage.jobwarden.readers > readers);
  return {
    queue,
    outcomes,
    command: async (job, more = {}) => {
      const before = outcomes.length;
      stage.jobwarden.enqueue(runId(job.id ?? '', job.timestamp), { queue: queue.name, ...more });
      await stage.until('the command is dealt with', () => outcomes.length > before);
      return outcomes[before] ?? '';
    },
  };
}
