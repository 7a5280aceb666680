import { fenceOf, parseRunId, runId } from '@jobwarden/bullmq';
import type { Queue } from 'bullmq';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { redisLeftOut, waitUntil } from '#libs/testing';
import { readingOf } from './reading.js';
import { Stage } from './stage.js';

/** H1, of those that BullMQ takes. Some look like what the binding makes of ids. */
const IDS: readonly (readonly [string, string | undefined])[] = [
  ['that BullMQ counts itself', undefined],
  ['with two colons', 'repeat:nightly:1764470000000'],
  ['with percent signs, slashes and dots', '..//%2F%3A/../100%'],
  ['of several scripts, with a space', 'Bestellung № 七 😀'],
  ['with quotes, a backslash and a line break', `"it's"\\\n`],
  ['that is a number, but not as BullMQ writes one', '0042'],
  ['that looks like a run', '7@1764470000000'],
  ['that looks like an attempt', 'order~2~7'],
  ['of 2,000 characters', 'x'.repeat(2_000)],
  ['of 500 characters of four bytes', '😀'.repeat(500)],
];

describe.skipIf(redisLeftOut())('ids of BullMQ (H1)', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.end());

  const subjects = (type: string) => stage.jobwarden.told.filter((fact) => fact.type === `jobwarden.job.${type}.v1`).map(({ subject }) => subject);

  function watched(): Queue {
    stage.jobwarden.told.length = 0;
    return stage.bullmq({ owner: 'jobwarden' }).watchQueue(stage.queue());
  }

  /** What runs there, by its run. */
  function runs(queue: Queue): readonly object[] {
    const fences: object[] = [];
    const work = (job: Parameters<typeof fenceOf>[0]) => Promise.resolve(fences.push(fenceOf(job)));
    stage.keep(stage.bullmq({ owner: 'jobwarden' }).worker(queue.name, work, { connection: stage.connection }));
    return fences;
  }

  it.each(IDS)('%s: one run, and what is put back is the native job', async (_what, jobId) => {
    const queue = watched();
    const { command } = await readingOf(stage, queue);
    const job = await stage.abandoned(queue, jobId === undefined ? {} : { jobId });
    expect(job.id).toBe(jobId ?? '1');
    expect(await command(job)).toBe('put-back');
    expect(await queue.getJobCounts()).toMatchObject({ active: 0, waiting: 1, delayed: 0 });
    const run = runId(job.id ?? '', job.timestamp);
    const fences = runs(queue);
    await stage.until('it is completed', async () => (await stage.state(queue, job.id)) === 'completed');
    expect(fences).toEqual([{ runId: run, attempt: 2, token: 2 }]);
    await stage.until('its end is told', () => subjects('succeeded').length > 0);
    expect([subjects('queued'), subjects('succeeded')]).toEqual([[run], [run]]);
    expect(parseRunId(run)).toEqual({ nativeId: job.id, createdMs: job.timestamp });
  });

  it.each(['7', '-7', 'a:b', 'a:b:c:d'])('%j, which BullMQ refuses: nothing is told', async (jobId) => {
    const queue = watched();
    await expect(queue.add('mail', {}, { jobId })).rejects.toThrow(/Custom Id/u);
    await queue.add('mail', {});
    await stage.until('the other one is told', () => subjects('queued').length > 0);
    expect(subjects('queued')).toHaveLength(1);
  });

  it('used again after its job was removed: another run, and a late command of the first does not touch it', async () => {
    const queue = watched();
    const { command } = await readingOf(stage, queue);
    const first = await queue.add('mail', { n: 1 }, { jobId: 'order' });
    // BullMQ keeps the first, also where both come within a millisecond: one run, told once.
    await queue.add('mail', { n: 'not added' }, { jobId: 'order', timestamp: first.timestamp });
    await first.remove();
    await waitUntil('the clock has moved on', () => Date.now() > first.timestamp);
    const second = await queue.add('mail', { n: 2 }, { jobId: 'order' });
    await stage.until('both are told', () => subjects('queued').length >= 2);
    expect(subjects('queued')).toEqual([runId('order', first.timestamp), runId('order', second.timestamp)]);
    expect(await command(first)).toBe('added');
    expect((await queue.getJob('order'))?.data).toEqual({ n: 2 });
    expect(await queue.getJobCountByTypes('waiting')).toBe(2);
  });
});
