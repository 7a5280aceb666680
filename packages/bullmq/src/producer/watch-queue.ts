import { randomUUID } from 'node:crypto';
import { activeTrace, type JobFact } from '@jobwarden/client';
import type { Job, JobsOptions, Queue } from 'bullmq';
import { carriedOf, type Carried } from '../carried.js';
import { jobKey } from '../keys.js';
import type { Owner } from '../owners/conflict.js';
import { keysOf, redisOf } from '../redis.js';
import { queuedFact } from './queued.js';

export interface Producing {
  readonly owner: Owner;
  readonly tell: (fact: JobFact) => void;
  /** Waits until so many jobs may be put into the queue, or rejects. */
  readonly intake: (queue: string, places: number) => Promise<void>;
}

const watched = new WeakMap<object, Queue>();

/** The queue as it was before it was watched: what we add ourselves is not told. */
export function unwatched(queue: Queue): Queue {
  return watched.get(queue) ?? queue;
}

/**
 * Lets `add` and `addBulk` of this queue tell `queued`. The same object again; a second time it changes nothing.
 *
 * The job is added first, and then told: a job that is told and not there would be put back for ever. What BullMQ did not
 * add, since its id or its deduplication id was taken, is not told.
 */
export function watchQueue<Q extends Queue>(queue: Q, { owner, tell, intake }: Producing): Q {
  if (watched.has(queue)) return queue;
  const add = queue.add.bind(queue);
  const addBulk = queue.addBulk.bind(queue);
  watched.set(queue, Object.create(queue, { add: { value: add }, addBulk: { value: addBulk } }) as Queue);
  const toldAll = async (jobs: readonly Job[]): Promise<void> => {
    for (const job of await addedNow(queue, jobs)) tell(queuedFact(job));
  };
  queue.add = (async (name: string, data: unknown, opts?: JobsOptions) => {
    await intake(queue.name, 1);
    const job: Job = await add(name, data, carrying(owner, withDefaults(queue, opts)));
    await toldAll([job]);
    return job;
  }) as Q['add'];
  queue.addBulk = (async (jobs: { name: string; data: unknown; opts?: JobsOptions }[]) => {
    if (jobs.length > 0) await intake(queue.name, jobs.length);
    const added: Job[] = await addBulk(jobs.map((job) => ({ ...job, opts: carrying(owner, withDefaults(queue, job.opts)) })));
    await toldAll(added);
    return added;
  }) as Q['addBulk'];
  return queue;
}

function withDefaults({ opts }: Queue, own: JobsOptions | undefined): JobsOptions {
  const attempts = own?.attempts ?? opts.defaultJobOptions?.attempts;
  return { ...own, ...(attempts !== undefined && { attempts }) };
}

/** Where Jobwarden retries, BullMQ must not: it gets one attempt, and the producer's number goes to Jobwarden. */
export function carrying(owner: Owner, opts: JobsOptions = {}): JobsOptions {
  const { attempts } = opts;
  const handedOver = owner === 'jobwarden' && attempts !== undefined && attempts > 1;
  const trace = activeTrace();
  const carried: Carried = { told: true, ...(handedOver && { attempts }), ...(isDoubtful(opts) && { added: randomUUID() }), ...(trace !== null && { trace }) };
  return { ...opts, ...(handedOver && { attempts: 1 }), jobwarden: carried } as JobsOptions;
}

/** Under an id of one's own BullMQ answers with a job that looks new also when it kept the one it had. */
async function addedNow(queue: Queue, jobs: readonly Job[]): Promise<readonly Job[]> {
  const doubtful = jobs.filter(({ opts }) => isDoubtful(opts));
  if (doubtful.length === 0) return jobs;
  const redis = await redisOf(queue);
  const keys = keysOf(queue);
  const kept = new Set<Job>();
  for (const job of doubtful) {
    const stored = await redis.hget(jobKey(keys, job.id ?? ''), 'opts');
    // Without them it has run and is removed by now.
    if (stored !== null && carriedOf(JSON.parse(stored) as object)?.added !== carriedOf(job.opts)?.added) kept.add(job);
  }
  return jobs.filter((job) => !kept.has(job));
}

function isDoubtful({ jobId, deduplication }: JobsOptions): boolean {
  return jobId !== undefined || deduplication !== undefined;
}
