import type { AttemptView, DecisionView, JobDetail } from './job-queries';

export const T0 = Date.parse('2026-03-01T14:00:00Z');
export const at = (ms: number): string => new Date(T0 + ms).toISOString();

/** A job of queue `q`, first attempt running, to be changed by a test. */
export function jobDetail(changes: Partial<JobDetail> = {}): JobDetail {
  return {
    ...{ namespace: 'default', queue: 'q', id: 'j', kind: null, status: 'processing', attempt: 1, n: 0, token: 1 },
    ...{ waitsFor: null, since: at(0), lookAt: null, queuedAt: at(0), maxRetries: 3, attempts: [], decisions: [], anomalies: [] },
    ...changes,
  };
}

export function attemptView(attempt: number, changes: Partial<AttemptView> = {}): AttemptView {
  return { attempt, outcome: null, workers: [{ id: `w${String(attempt)}` }], ...changes };
}

export function decisionView(n: number, kind: DecisionView['kind'], attempt: number, ms: number, changes: Partial<DecisionView> = {}): DecisionView {
  return { n, kind, attempt, reason: 'lost', by: 'jobwarden', at: at(ms), ...changes };
}
