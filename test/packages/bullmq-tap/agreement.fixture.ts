import type { JobType, Queue } from 'bullmq';
import { expect } from 'vitest';
import { waitUntil } from '#libs/testing';
import type { JobView, Stage } from './stage.fixture.js';

/** What BullMQ’s own word for where a job lies is here. */
const STATUS: Readonly<Record<string, readonly string[]>> = {
  completed: ['succeeded'],
  failed: ['failed'],
  waiting: ['queued'],
  prioritized: ['queued'],
  delayed: ['queued', 'failed'],
};

/** In the end each job that BullMQ still has is known as what it is, what it has not any more is over, and nothing is odd. */
export async function agrees(stage: Stage, ...queues: readonly Queue[]): Promise<void> {
  for (const queue of queues) {
    let differences: string[] = ['not looked yet'];
    const look = async (): Promise<boolean> => (differences = await differencesOf(stage, queue)).length === 0;
    await waitUntil(`all of ${queue.name} is known`, look, { withinMs: 30_000 }).catch(() => undefined);
    expect(differences).toEqual([]);
  }
  expect(await stage.get('quarantine')).toMatchObject({ items: [] });
  const metrics = await (await fetch(`${stage.service.url}/metrics`)).text();
  expect(metrics.split('\n').filter((line) => line.startsWith('jobwarden_anomalies_total') && !line.endsWith(' 0'))).toEqual([]);
}

async function differencesOf(stage: Stage, queue: Queue): Promise<string[]> {
  const theirs = new Map<string, string>();
  for (const state of ['completed', 'failed', 'waiting', 'prioritized', 'delayed'] satisfies JobType[]) {
    for (const job of await queue.getJobs(state)) theirs.set(`${String(job.id)}@${String(job.timestamp)}`, state);
  }
  const ours = new Map((await stage.jobs(queue.name)).map((job) => [job.id, job]));
  return [
    ...[...theirs].flatMap(([id, state]) => {
      const status = ours.get(id)?.status ?? 'unknown';
      return STATUS[state]?.includes(status) === true ? [] : [`${id}: ${state} is ${status}`];
    }),
    ...[...ours.values()].flatMap((job) => stray(job, theirs)),
  ];
}

function stray({ id, status }: JobView, theirs: ReadonlyMap<string, string>): string[] {
  return theirs.has(id) || status === 'succeeded' || status === 'cancelled' ? [] : [`${id}: ${status}, and not in BullMQ`];
}
