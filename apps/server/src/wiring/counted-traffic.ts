import type { JobWrite } from '#libs/application';
import { countedOf, GRANTED_BY_CLAIM, type JobEvent, type JobState } from '#libs/domain';
import type { Metrics } from '#libs/observability';

/** What one batch brought of each queue: counted together, so that a batch costs what its queues are and not its jobs. */
export type Traffic = Map<string, { queued: number; started: number; refused: number }>;

/** Adds what a write says to what came in, and tells how long those that began had waited. */
export function countTraffic(metrics: Metrics, traffic: Traffic, { job, events }: JobWrite): void {
  const { queue } = job.ref;
  const begun: number[] = [];
  for (const { event } of events) {
    if (!mayCount(event)) continue;
    const name = countedOf(job.state, event)?.name;
    if (name !== 'queued' && name !== 'started' && name !== 'writeRefused') continue;
    let sums = traffic.get(queue);
    if (sums === undefined) traffic.set(queue, (sums = { queued: 0, started: 0, refused: 0 }));
    if (name === 'queued') sums.queued += 1;
    else if (name === 'writeRefused') sums.refused += 1;
    else {
      const attempt = attemptOf(event);
      if (begun.includes(attempt)) continue;
      begun.push(attempt);
      sums.started += 1;
      const waitMs = waitOf(job.state, attempt);
      if (waitMs !== null) metrics.jobWait.observe({ queue }, waitMs / 1_000);
    }
  }
}

export function addTraffic(metrics: Metrics, traffic: Traffic): void {
  for (const [queue, { queued, started, refused }] of traffic) {
    if (queued > 0) metrics.jobsQueued.add({ queue }, queued);
    if (started > 0) metrics.attemptsStarted.add({ queue }, started);
    if (refused > 0) metrics.writesRefused.add({ queue }, refused);
  }
}

/** From when the attempt could begin to its first start, lane time ms; null: it is not known since when it could. */
export function waitOf({ queued, attempts, decisions }: JobState, attempt: number): number | null {
  const startMs = attempts.get(attempt)?.firstStartMs ?? null;
  if (startMs === null) return null;
  const granted = decisions.findLast((d) => d.kind === 'requeued' && d.attempt === attempt);
  // A claim that makes its own grant says nothing of how long the job could have been claimed.
  if (granted !== undefined) return granted.reason === GRANTED_BY_CLAIM ? null : Math.max(0, startMs - granted.laneMs);
  if (attempt !== 1 || queued === null) return null;
  return Math.max(0, startMs - Math.max(queued.laneMs, queued.notBeforeMs ?? 0));
}

/** Asked first: most events end an attempt, and to tell whose it was costs more than all of this. */
function mayCount(event: JobEvent): boolean {
  if (event.kind === 'decision') return event.decision.kind === 'write-refused';
  const { type } = event.fact;
  return type === 'queued' || type === 'started' || type === 'claimed';
}

function attemptOf(event: JobEvent): number {
  return event.kind === 'fact' && 'attempt' in event.fact ? event.fact.attempt : 0;
}
