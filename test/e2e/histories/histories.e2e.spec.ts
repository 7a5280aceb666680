import { afterEach, describe, expect, it } from 'vitest';
import { Api } from './api.js';
import { CommandStream } from './commands.js';
import {
  CLUSTER_LIMITS,
  clusterJobs,
  endsBeforeItStarts,
  event,
  historiesAreThere,
  inOrder,
  overran,
  pods,
  whole,
  type Step,
} from './data.js';
import { advance, batches, look } from './replay.js';
import { startService, type Service } from './service.js';

/**
 * Two real histories through the shipped process, over HTTP, in order of their own times, on the manual clock.
 * `npm test` takes about a tenth, `npm run test:histories` the whole.
 */
const DAY_MS = 86_400_000;
/** Pods fall silent for twenty days, and those that end do so within sixteen: a day more decides nothing. */
const GRAIN_MS = DAY_MS;
const title = historiesAreThere ? 'real histories' : 'real histories (left out: the data is not beside this checkout)';

describe.runIf(historiesAreThere)(title, { timeout: 1_500_000 }, () => {
  let service: Service | null = null;

  afterEach(async () => {
    await service?.stop();
    service = null;
  });

  it('recovers pods that went silent until their retries are used up, and starves the ones never started', async () => {
    const all = pods();
    const of = (phase: string): number => all.filter((p) => p.phase === phase).length;
    service = await startService(`
defaults:
  actions: act
  idempotent: true
  heartbeats: none
  stuckAfter: 20d
  hardTimeout: off
  grace: 15s
  maxRetries: 3
`);
    const api = new Api(service.url);
    const commands = new CommandStream();
    await commands.open(service.url);

    let requeues = 0;
    let started = 0;
    const afterLook = async (run: Awaited<ReturnType<Api['reconcile']>>, nowMs: number): Promise<void> => {
      requeues += run.rows.filter((r) => r.decisions.includes('requeued')).length;
      await commands.until(requeues);
      // The simulated worker: takes each command, starts that attempt, and falls silent too.
      const due = commands.enqueues().slice(started);
      started += due.length;
      for (let at = 0; at < due.length; at += 500) {
        await api.send(
          due.slice(at, at + 500).map((c) =>
            event('started', { id: c.subject, queue: c.data.queue }, nowMs, {
              attempt: c.data.attempt,
              token: c.data.token,
              worker: { id: `recovery-${c.subject}` },
            }),
          ),
        );
      }
    };

    const steps: Step[] = all.flatMap((pod): Step[] => {
      const job = { id: pod.name, queue: pod.queue };
      const queued = { ms: pod.createdMs, event: event('queued', job, pod.createdMs) };
      if (pod.phase === 'Pending') return [queued];
      const worker = { worker: { id: `node-of-${pod.name}` }, attempt: 1 };
      const start = { ms: pod.startedMs, event: event('started', job, pod.startedMs, worker) };
      if (pod.phase === 'Running') return [queued, start];
      const ended =
        pod.phase === 'Succeeded'
          ? event('succeeded', job, pod.endedMs, worker)
          : event('failed', job, pod.endedMs, { ...worker, error: { class: 'PodFailed', message: 'Failed' }, retryable: false });
      return [queued, start, { ms: pod.endedMs, event: ended }];
    });

    let lastMs = 0;
    for (const { ms, events } of batches(inOrder(steps), 60_000)) {
      await advance(api, ms, afterLook, GRAIN_MS);
      await api.send(events);
      lastMs = ms;
    }
    // Three attempts of twenty days each after the last pod, and their graces.
    await advance(api, lastMs + 90 * DAY_MS, afterLook, GRAIN_MS);
    await look(api, lastMs + 90 * DAY_MS, afterLook);

    const jobs = await api.all<{ status: string; id: string }>('/v1/jobs');
    const status = (s: string): number => jobs.filter((j) => j.status === s).length;
    const letters = await api.all<{ reason: string }>('/v1/dead-letters');
    const starved = await api.all<{ id: string }>('/v1/verdicts?verdict=starved');
    const starvedIds = new Set(starved.map((v) => v.id));
    const enqueues = commands.enqueues();

    expect({
      succeeded: status('succeeded'),
      queued: status('queued'),
      queuedAndStarved: jobs.filter((j) => j.status === 'queued' && starvedIds.has(j.id)).length,
      deadLetters: letters.length,
      failed: letters.filter((l) => l.reason === 'failed').length,
      lost: letters.filter((l) => l.reason === 'lost').length,
      requeues,
      commands: new Set(enqueues.map((c) => `${c.data.queue}/${c.subject}/${String(c.data.attempt)}`)).size,
      copies: enqueues.length - new Set(enqueues.map((c) => c.id)).size,
    }).toEqual({
      succeeded: of('Succeeded'),
      queued: of('Pending'),
      queuedAndStarved: of('Pending'),
      deadLetters: of('Failed') + of('Running'),
      failed: of('Failed'),
      lost: of('Running'),
      requeues: 3 * of('Running'),
      commands: 3 * of('Running'),
      copies: 0,
    });
    if (whole) expect([requeues, letters.length, status('succeeded')]).toEqual([15_579, 7_063, 192]);
    expect(tokensRise(enqueues)).toBe(true);
    await commands.close();
  });

  it('only watches a cluster whose every job ended, and is wrong about nine', async () => {
    const all = clusterJobs();
    service = await startService(
      [
        'defaults: {actions: observe, heartbeats: none, stuckAfter: off}',
        'queues:',
        ...Object.entries(CLUSTER_LIMITS).map(([queue, ms]) => `  ${queue}: {hardTimeout: ${String((ms * 1.05) / 1_000)}s}`),
      ].join('\n'),
    );
    const api = new Api(service.url);
    let wouldHaves = 0;
    const afterLook = (run: Awaited<ReturnType<Api['reconcile']>>): Promise<void> => {
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
    for (const { ms, events } of batches(inOrder(steps), 0)) {
      await advance(api, ms, afterLook);
      await api.send(events);
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
    expect(samples).toBe(all.length - dirty.length);
  });
});

function tokensRise(enqueues: readonly { subject: string; data: { queue: string; token: number; attempt: number } }[]): boolean {
  const last = new Map<string, number>();
  return enqueues.every(({ subject, data }) => {
    const key = `${data.queue}/${subject}`;
    const rises = data.token > (last.get(key) ?? 1);
    last.set(key, data.token);
    return rises;
  });
}
