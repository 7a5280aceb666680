import type { Cause } from '../assessment.js';
import type { Mark } from '../marks.js';
import type { CommonCause } from './common-cause.js';
import { hostName, type CauseProfile } from './profile.js';

/** A cause that queues may have in common, with the words in which those it was found in tell of it. */
export interface Candidate extends CommonCause {
  readonly words: ReadonlyMap<string, number>;
  readonly revisions: ReadonlySet<string>;
  readonly suspectWorkers: ReadonlySet<string>;
}

/** From so much on, what a queue tells is explained by a cause that others have. */
export const LEAST_FIT = 0.4;
/** Most of what goes wrong. */
const MOST = 0.5;
/** So few attempts say little of themselves; and so few errors, where no worker died: of jobs that were done since none is told. */
const FEW_BAD = 8;
const FEW_TOLD = 2;
/** A word that stands for as much of what others tell is one of theirs. */
const SOME = 0.2;

/** How well a cause explains what goes wrong in a queue, 0 to 1; 0: it does not, or the queue clearly says something else. */
export function fitOf(profile: CauseProfile, candidate: Candidate, tellsHosts: boolean): number {
  if (contradicts(profile, candidate, tellsHosts)) return 0;
  const found = profile.findings.get(candidate.cause);
  const own = found?.confidence ?? 0;
  if (candidate.cause === 'bad_revision') {
    if (own >= LEAST_FIT && found?.subject === candidate.blame) return own;
    return sharesRelease(profile, candidate) ? MOST : 0;
  }
  if (candidate.cause === 'poison_job' && !isIn(candidate.blame, profile)) return MOST;
  return own >= LEAST_FIT ? own : 0;
}

/** The same of a queue that says too little to be sure of; more than 0 where nothing speaks against it. */
export function weakFitOf(profile: CauseProfile, candidate: Candidate, tellsHosts: boolean): number {
  const few = profile.bad < FEW_BAD || (profile.told <= FEW_TOLD && profile.lost < MOST * profile.bad);
  if ((profile.assessment.cause !== 'unknown' && !few) || contradicts(profile, candidate, tellsHosts)) return 0;
  if (candidate.cause === 'unknown') return 0;
  if (candidate.cause === 'bad_revision') return sharesRelease(profile, candidate) ? MOST : 0;
  const marks = ALSO[candidate.cause];
  const share = profile.told === 0 ? 0 : marks.reduce((sum, mark) => sum + (profile.marks.get(mark) ?? 0), 0) / profile.told;
  if (share >= MOST) return share;
  return few && profile.told <= FEW_TOLD && candidate.cause !== 'poison_job' ? 0.01 : 0;
}

/** What errors point at that a cause brings along. */
const ALSO: Readonly<Record<Cause, readonly Mark[]>> = {
  downstream_outage: ['downstream', 'timeout', 'connection'],
  lock_contention: ['lock', 'timeout', 'connection'],
  connection_exhaustion: ['connection', 'timeout', 'downstream'],
  overload: ['timeout'],
  memory: ['memory'],
  race: ['race'],
  poison_job: [],
  bad_revision: [],
  unknown: [],
};

/** What clearly differs: another release or job to blame, another service that is away, another program that runs out of memory. */
function contradicts(profile: CauseProfile, { cause, blame, revisions, suspectWorkers }: Candidate, tellsHosts: boolean): boolean {
  const { assessment } = profile;
  if (assessment.action === 'rollback' && !(cause === 'bad_revision' && blame === assessment.subject)) return true;
  switch (cause) {
    case 'bad_revision':
      return profile.bad === 0 || (profile.badRevisions.get(blame ?? '') ?? 0) < MOST * profile.bad;
    case 'poison_job':
      return !isIn(blame, profile) && !diedWith(profile, suspectWorkers);
    case 'downstream_outage':
      return tellsHosts && profile.host !== null && hostName(blame) !== null && profile.host !== hostName(blame);
    case 'memory':
      return revisions.size > 0 && profile.revisions.size > 0 && ![...revisions].some((revision) => profile.revisions.has(revision));
    default:
      return false;
  }
}

/**
 * Whether a release is to blame in a queue that does not show it by itself. A release is told by its name alone, which another
 * service may use as well, and a queue that is taken along by mistake is stopped when the release is.
 */
function sharesRelease(profile: CauseProfile, candidate: Candidate): boolean {
  const { cause, confidence } = profile.assessment;
  if (profile.provedRevisions.has(candidate.blame ?? '')) return false;
  if (cause !== 'unknown' && cause !== 'bad_revision' && confidence >= LEAST_FIT) return false;
  return alike(profile, candidate);
}

/** Whether it fails in the words of the others that the release is to blame for; of lost leases nobody tells any. */
function alike(profile: CauseProfile, { words }: Candidate): boolean {
  if (profile.told <= FEW_TOLD) return true;
  const all = [...words.values()].reduce((a, b) => a + b, 0);
  const theirs = new Set([...words].filter(([, times]) => times >= SOME * all).map(([word]) => word));
  const shared = [...profile.words].reduce((sum, [word, times]) => sum + (theirs.has(word) ? times : 0), 0);
  return shared >= MOST * profile.told;
}

function isIn(job: string | null, { name }: CauseProfile): boolean {
  return job?.startsWith(`${name}/`) === true;
}

/** Most of what it lost, or failed, was with workers that ran what is to blame. */
function diedWith({ workers, assessment }: CauseProfile, suspects: ReadonlySet<string>): boolean {
  if (assessment.cause !== 'unknown' || workers.length === 0) return false;
  return workers.filter((worker) => worker !== null && suspects.has(worker)).length >= MOST * workers.length;
}
