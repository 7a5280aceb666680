import { expect } from 'vitest';
import type { Run } from './api.js';
import { event, inOrder, pods, whole, type Step } from './data.js';
import { advance, batches, look } from './replay.js';
import type { Stage } from './stage.js';

const DAY_MS = 86_400_000;
/** Pods fall silent for twenty days, and those that end do so within sixteen: a day more decides nothing. */
const GRAIN_MS = DAY_MS;

export const PODS_POLICY = `
defaults:
  actions: act
  idempotent: true
  heartbeats: none
  stuckAfter: 20d
  hardTimeout: off
  grace: 15s
  maxRetries: 3
`;

/** Pods that went silent are recovered until their retries are used up; the ones never started are reported starved. */
export async function replayPods(stage: Stage): Promise<void> {
  const { api, commands } = stage;
  const all = pods(stage.oneIn);
  const of = (phase: string): number => all.filter((p) => p.phase === phase).length;
  // A part has some of each.
  expect(['Succeeded', 'Failed', 'Pending', 'Running'].filter((phase) => of(phase) === 0)).toEqual([]);
  let started = 0;
  /**
   * The simulated worker: takes each command, starts that attempt, and falls silent too. What another replica decided by
   * itself stands in no run of this one's, so it asks for the jobs that wait for a worker: none may be left behind by the
   * clock.
   */
  const afterLook = async (_run: Run, nowMs: number): Promise<void> => {
    for (;;) {
      const waiting = await api.all('/v1/jobs?status=requeued');
      if (waiting.length === 0) return;
      await commands.until(started + waiting.length);
      const due = commands.enqueues().slice(started);
      started += due.length;
      for (let at = 0; at < due.length; at += 500) {
        await stage.send(
          due.slice(at, at + 500).map((c) =>
            event('started', { id: c.subject, queue: c.data.queue }, nowMs, {
              attempt: c.data.attempt,
              token: c.data.token,
              worker: { id: `recovery-${c.subject}` },
            }),
          ),
        );
      }
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
  const parts = [...batches(inOrder(steps), 60_000)];
  for (const [i, { ms, events }] of parts.entries()) {
    await stage.at?.(i / parts.length);
    await advance(api, ms, afterLook, GRAIN_MS);
    await stage.send(events);
    lastMs = ms;
  }
  // Four attempts of twenty days each after the last pod, their graces, and what the budget spreads over more looks.
  for (let days = 90; days === 90 || (await recovering(api)); days += 10) {
    if (days > 1_000) throw new Error('some jobs never come to an end');
    await advance(api, lastMs + days * DAY_MS, afterLook, GRAIN_MS);
    await look(api, lastMs + days * DAY_MS, afterLook);
  }

  const jobs = await api.all<{ status: string; id: string; attempt: number }>('/v1/jobs');
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
    // Every attempt of theirs was begun and fell silent.
    lost: letters.filter((l) => l.reason === 'poison_pill').length,
    requeues: jobs.reduce((sum, { attempt }) => sum + attempt - 1, 0),
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
  if (whole) expect([enqueues.length, letters.length, status('succeeded')]).toEqual([15_579, 7_063, 192]);
  expect(tokensRise(enqueues)).toBe(true);
}

/** Is anything left to be done but to report those that starve? */
async function recovering(api: Stage['api']): Promise<boolean> {
  for (const status of ['processing', 'restart-requested', 'requeued', 'retrying', 'failed']) {
    const { items } = await api.get<{ items: readonly unknown[] }>(`/v1/jobs?status=${status}&limit=1`);
    if (items.length > 0) return true;
  }
  return false;
}

function tokensRise(enqueues: readonly { subject: string; data: { queue: string; token: number; attempt: number } }[]): boolean {
  const last = new Map<string, number>();
  return enqueues.every(({ subject, data }) => {
    const key = `${data.queue}/${subject}`;
    const rises = data.token > (last.get(key) ?? 1);
    last.set(key, data.token);
    return rises;
  });
}
