import { heldSentence } from '../../kit/waiting';
import { job as words } from '../../text/job';
import { waits } from '../../text/waits';
import { ago, clockTime, utc, visible } from '../../text/format';
import type { AttemptView, JobDetail, Levels, Verdict } from './job-queries';

const { standing } = words;
const FINISHED: ReadonlySet<string> = new Set(['succeeded', 'dead-lettered', 'cancelled', 'discarded']);

export const isFinished = ({ status }: Pick<JobDetail, 'status'>): boolean => FINISHED.has(status);

export const currentAttempt = (job: JobDetail): AttemptView | undefined => job.attempts.find(({ attempt }) => attempt === job.attempt);

/** Who holds the current attempt, made visible; null: nobody that is known. */
export function holder(job: JobDetail): string | null {
  const id = currentAttempt(job)?.workers.at(-1)?.id;
  return id === undefined ? null : visible(id);
}

/** The most important first: how it stands, what it waits for and until when, what keeps that back, and what may then be done. */
export function sentencesOf(job: JobDetail, { levels, verdict, nowMs }: { readonly levels: Levels | null; readonly verdict: Verdict | null; readonly nowMs: number }): readonly string[] {
  const waited = spokenOf(job, verdict) ? null : waitSentence(job, nowMs);
  return [
    statusSentence(job, nowMs),
    ...(job.byHand === true && job.status !== 'succeeded' ? [standing.byHand] : []),
    ...(job.heldBy === undefined ? [] : [heldSentence(job.heldBy)]),
    ...(waited === null ? [] : [waited]),
    ...levelSentence(job, levels, verdict),
  ];
}

/** Jobwarden has said what it would do of this attempt: that stands in its own words. */
function spokenOf({ attempt, waitsFor }: JobDetail, verdict: Verdict | null): boolean {
  return verdict !== null && verdict.attempt === attempt && verdict.state !== 'lapsed' && waitsFor !== 'start';
}

function statusSentence(job: JobDetail, nowMs: number): string {
  const { status } = job;
  const attempt = String(job.attempt);
  const { status: said } = standing;
  switch (status) {
    case 'processing':
      return runningSentence(job, nowMs);
    case 'succeeded':
      return job.byHand === true ? said.resolved : said.succeeded(attempt);
    case 'queued':
    case 'dead-lettered':
    case 'cancelled':
    case 'discarded':
      return said[status];
    default:
      return said[status](attempt);
  }
}

/** A worker that is late is the first thing to say of a job that runs. */
function runningSentence(job: JobDetail, nowMs: number): string {
  const { status: said } = standing;
  const attempt = String(job.attempt);
  const due = dueMs(job);
  if (due === null || due >= nowMs) return said.processing(attempt, holder(job));
  const { lastBeatAt, startedAt } = currentAttempt(job) ?? {};
  const heard = lastBeatAt ?? startedAt;
  if (job.waitsFor === 'lease' && heard !== undefined) return said.silent(attempt, holder(job), instant(Date.parse(heard), nowMs));
  return job.waitsFor === 'stuck-after' || job.waitsFor === 'hard-timeout' ? said.late(attempt, holder(job)) : said.processing(attempt, holder(job));
}

/** When it is due; of a lease the end that heartbeats have moved on, which the job's row does not know. */
export function dueMs(job: JobDetail): number | null {
  const at = job.waitsFor === 'lease' ? (currentAttempt(job)?.leaseEndsAt ?? job.lookAt) : job.lookAt;
  return at === null ? null : Date.parse(at);
}

function waitSentence(job: JobDetail, nowMs: number): string | null {
  const { sentence } = waits;
  if (job.status === 'incomplete' && job.waitsFor === null) return job.erased === undefined ? sentence.queued : sentence.erased;
  if (job.waitsFor === null) return isFinished(job) ? null : sentence.resting;
  const due = dueMs(job);
  if (job.waitsFor === 'decision') return isFinished(job) ? null : sentence.decision;
  if (job.waitsFor === 'queued') return sentence.queued;
  if (due === null) return job.waitsFor === 'start' ? sentence.startOpen : sentence.resting;
  const until = instant(due, nowMs);
  const what = job.waitsFor;
  const said = isDated(what) ? sentence[what](until) : null;
  return due < nowMs && said !== null && what !== 'start' ? `${said} ${sentence.passed}` : said;
}

type Dated = 'start' | 'lease' | 'stuck-after' | 'hard-timeout' | 'grace' | 'owner' | 'backoff';
const DATED: readonly string[] = ['start', 'lease', 'stuck-after', 'hard-timeout', 'grace', 'owner', 'backoff'] satisfies readonly Dated[];
const isDated = (word: string): word is Dated => DATED.includes(word);

/** `14:05:09 UTC (in 12 sec.)`, with the day where it is another one. */
function instant(atMs: number, nowMs: number): string {
  const near = Math.abs(atMs - nowMs) < 12 * 3_600_000;
  return `${near ? `${clockTime(atMs)} UTC` : utc(atMs)} (${ago(atMs, nowMs)})`;
}

/** Which level governs what comes next; null: nothing of Jobwarden's own comes. */
export function nextAction({ waitsFor, status }: Pick<JobDetail, 'waitsFor' | 'status'>): 'requeue' | 'retry' | null {
  if (waitsFor === null || waitsFor === 'start' || waitsFor === 'queued' || FINISHED.has(status)) return null;
  return status === 'failed' || status === 'retrying' ? 'retry' : 'requeue';
}

/** What it may do is said before it happens; afterwards what was said stands in its own words. */
function levelSentence(job: JobDetail, levels: Levels | null, verdict: Verdict | null): readonly string[] {
  const action = nextAction(job);
  const level = action === null ? undefined : levels?.[action];
  if (action === null || level === undefined || spokenOf(job, verdict)) return [];
  return [waits.level[level](waits.action[action])];
}
