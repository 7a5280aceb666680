import type { DecisionView, JobDetail } from '#libs/contracts';
import { PAGES } from './pages.js';
import { DEAD_LETTERS, INVALIDATIONS, jobPath, reconciliations } from './reports.js';
import { TROUBLED } from './settings.js';

export interface Trouble {
  readonly jobId: string;
  readonly what: string;
  /** The status that ends it well. */
  readonly endsAs: JobDetail['status'];
  /** The report that shows how it was found. */
  readonly foundAt: string;
  /** The report that shows how it ended. */
  readonly doneAt: string;
  /** The page of the dashboard that shows both. */
  readonly page: string;
}

export const TROUBLES = {
  killed: {
    jobId: TROUBLED.killed.id,
    what: 'its worker was killed with -9 in mid-job',
    endsAs: 'succeeded',
    foundAt: reconciliations('lost'),
    doneAt: jobPath(TROUBLED.killed.id),
    page: PAGES.job(TROUBLED.killed.id),
  },
  hung: {
    jobId: TROUBLED.hung.id,
    what: 'it hangs, and its heartbeats go on',
    endsAs: 'succeeded',
    foundAt: reconciliations('hung'),
    doneAt: jobPath(TROUBLED.hung.id),
    page: PAGES.job(TROUBLED.hung.id),
  },
  poison: {
    jobId: TROUBLED.poison.id,
    what: 'it kills every worker that runs it',
    endsAs: 'dead-lettered',
    foundAt: reconciliations('lost'),
    doneAt: DEAD_LETTERS,
    page: PAGES.deadLetter(TROUBLED.poison.id),
  },
  stale: {
    jobId: TROUBLED.stale.id,
    what: 'it is done, and its cache still says pending',
    endsAs: 'succeeded',
    foundAt: INVALIDATIONS,
    doneAt: jobPath(TROUBLED.stale.id),
    page: PAGES.job(TROUBLED.stale.id),
  },
} as const satisfies Record<keyof typeof TROUBLED, Trouble>;

export interface Sentence {
  readonly mark: 'FOUND' | 'DONE';
  readonly text: string;
  /** The same in a few words, for the table at the end. */
  readonly short: string;
}

/** A decision in plain words; null where nothing needs to be told. */
export function sentenceOf(decision: DecisionView): Sentence | null {
  const { kind, reason, attempt, previousWorker, evidence } = decision;
  const worker = previousWorker?.id ?? 'its worker';
  switch (kind) {
    case 'restart-requested': {
      const limit = seconds(evidence);
      return reason === 'hung'
        ? found(`hung: ${worker} is alive, but attempt ${attempt} runs longer than the hard timeout${limit}`, 'hung')
        : found(`lost: ${worker} has been silent for longer than its lease${limit}`, 'lost');
    }
    case 'requeued':
      return {
        mark: 'DONE',
        text: `requeued: attempt ${attempt} with fencing token ${String(decision.token ?? attempt)}`,
        short: `requeued as attempt ${attempt}`,
      };
    case 'dead-lettered':
      return {
        mark: 'DONE',
        text: `dead-lettered after attempt ${attempt}: its retries are used up`,
        short: `dead-lettered after ${attempt} attempts`,
      };
    default:
      return null;
  }
}

const found = (text: string, short: string): Sentence => ({ mark: 'FOUND', text, short });

function seconds(evidence: DecisionView['evidence']): string {
  const threshold = evidence?.['threshold'];
  if (typeof threshold !== 'object' || threshold === null || !('ms' in threshold)) return '';
  return ` of ${String(Number(threshold.ms) / 1_000)} s`;
}
