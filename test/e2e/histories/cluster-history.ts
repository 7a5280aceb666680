import { expect } from 'vitest';
import type { Run } from './api.js';
import { CLUSTER_LIMITS, clusterJobs, endsBeforeItStarts, event, inOrder, overran, type Step } from './data.js';
import { advance, batches } from './replay.js';
import type { Stage } from './stage.js';

export const CLUSTER_POLICY = [
  'defaults: {actions: observe, heartbeats: none, stuckAfter: off}',
  'queues:',
  ...Object.entries(CLUSTER_LIMITS).map(([queue, ms]) => `  ${queue}: {hardTimeout: ${String((ms * 1.05) / 1_000)}s}`),
].join('\n');

/** A cluster whose every job ended is only watched, and nine verdicts on it are wrong. `blurMs`: of one request. */
export async function replayCluster(stage: Stage, blurMs: number): Promise<void> {
  const { api } = stage;
  const all = clusterJobs(stage.oneIn);
  let wouldHaves = 0;
  const afterLook = (run: Run): Promise<void> => {
    wouldHaves += run.rows.filter((r) => r.outcome === 'would-have').length;
    return Promise.resolve();
  };

  const steps = all.flatMap((job): Step[] => {
    const worker = { worker: { id: `node-of-${job.id}` }, attempt: 1 };
    return [
      { ms: job.queuedMs, event: event('queued', job, job.queuedMs) },
      { ms: job.startedMs, event: event('started', job, job.startedMs, worker) },
      // An end that lies before its start is sent right after it; the event's own time stays as it is.
      { ms: Math.max(job.endedMs, job.startedMs), event: event('succeeded', job, job.endedMs, worker) },
    ];
  });
  const parts = [...batches(inOrder(steps), blurMs)];
  for (const [i, { ms, events }] of parts.entries()) {
    await stage.at?.(i / parts.length);
    await advance(api, ms, afterLook);
    await stage.send(events);
  }

  const verdicts = await api.all<{ verdict: string; grade: string; kind: string }>('/v1/verdicts?kind=would-have');
  const jobs = await api.all<{ status: string; id: string; queue: string }>('/v1/jobs');
  const dirty = all.filter(endsBeforeItStarts);
  expect({
    succeeded: jobs.filter((j) => j.status === 'succeeded').length,
    wouldHaves: verdicts.length,
    hung: verdicts.filter((v) => v.verdict === 'hung').length,
    wrong: verdicts.filter((v) => v.grade === 'wrong').length,
  }).toEqual({ succeeded: all.length, wouldHaves: 9, hung: 9, wrong: 9 });
  expect(all.filter(overran).length).toBe(9);
  expect(wouldHaves).toBeLessThanOrEqual(9);

  expect(dirty.length).toBe(2);
  for (const job of dirty) {
    const detail = await api.get<{ anomalies: { code: string }[] }>(`/v1/queues/${job.queue}/jobs/${job.id}`);
    expect(detail.anomalies.map((a) => a.code)).toContain('ended_before_started');
  }
  const queues = await api.all<{ queue: string; quantiles: { samples: number } }>('/v1/queues');
  const samples = queues.reduce((sum, q) => sum + q.quantiles.samples, 0);
  // What starts and ends within the blur of one request has no run time to learn from.
  const short = all.filter((job) => !endsBeforeItStarts(job) && job.endedMs - job.startedMs <= blurMs && blurMs > 0);
  expect(samples).toBeLessThanOrEqual(all.length - dirty.length);
  expect(samples).toBeGreaterThanOrEqual(all.length - dirty.length - short.length);
}
