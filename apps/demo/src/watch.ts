import { setTimeout as delay } from 'node:timers/promises';
import type { JobDetail } from '#libs/contracts';
import type { Journal, TroubleReport } from './journal.js';
import type { Reports } from './reports.js';
import { sentenceOf, type Trouble } from './troubles.js';

const LOOK_MS = 150;

export interface Watching {
  readonly baseUrl: string;
  readonly reports: Reports;
  readonly journal: Journal;
  readonly signal: AbortSignal;
}

/** Follows a job by its report until it ends as it should, or the signal says that it is too late. */
export async function watchJob(trouble: Trouble, watching: Watching): Promise<TroubleReport> {
  const { reports, journal, signal } = watching;
  const beganMs = journal.elapsedMs;
  const told = new Told(trouble, journal);
  let job: JobDetail | null = null;
  while (!signal.aborted && job?.status !== trouble.endsAs) {
    await delay(LOOK_MS);
    job = await reports.job(trouble.jobId);
    if (job !== null) told.hear(job);
  }
  return await reported(trouble, watching, {
    found: told.found,
    done: told.done,
    tookMs: journal.elapsedMs - beganMs,
    settled: job?.status === trouble.endsAs && told.found !== null && told.done !== null,
  });
}

/** Settled only if every report that should show it does. */
export async function reported(
  { jobId, what, foundAt, doneAt, page }: Trouble,
  { baseUrl, reports, signal }: Watching,
  outcome: Pick<TroubleReport, 'found' | 'done' | 'tookMs' | 'settled'>,
): Promise<TroubleReport> {
  const paths = [...new Set([foundAt, doneAt])];
  const shown = signal.aborted ? [] : await Promise.all(paths.map((path) => reports.names(path, jobId)));
  const settled = outcome.settled && shown.length > 0 && shown.every(Boolean);
  return { ...outcome, jobId, trouble: what, settled, addresses: [page, ...paths].map((path) => baseUrl + path) };
}

/** What has been told of a job: every decision once, in the order of their numbers. */
class Told {
  done: string | null = null;
  private readonly findings: string[] = [];
  private upTo = 0;
  private ended = false;

  constructor(
    private readonly trouble: Trouble,
    private readonly journal: Journal,
  ) {}

  get found(): string | null {
    const [first] = this.findings;
    if (first === undefined) return null;
    return this.findings.length === 1 ? first : `${first}, ${this.findings.length} times`;
  }

  hear(job: JobDetail): void {
    const { jobId, endsAs, page } = this.trouble;
    for (const decision of job.decisions.filter(({ n }) => n > this.upTo)) {
      this.upTo = decision.n;
      const sentence = sentenceOf(decision);
      if (sentence === null) continue;
      this.journal.tell(sentence.mark, jobId, sentence.text, page);
      if (sentence.mark === 'FOUND') this.findings.push(sentence.short);
      else this.done = sentence.short;
    }
    if (this.ended || job.status !== endsAs || endsAs !== 'succeeded') return;
    this.ended = true;
    this.done = `${this.done ?? 'nothing'}, then succeeded`;
    this.journal.tell('BACK', jobId, `succeeded in attempt ${job.attempt}`, page);
  }
}
