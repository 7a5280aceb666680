import type { CauseWindow } from '../window.js';
import { byName, causeOfSubject, causeSubject, type CommonCause } from './common-cause.js';
import { fitOf, LEAST_FIT, weakFitOf, type Candidate } from './fit.js';
import { hostName, profileOf, type CauseProfile } from './profile.js';
import { Slices } from './slices.js';

/** An incident of the namespace that may take further queues. */
export interface CauseCase {
  readonly subject: string;
  /** false: it is over, and what comes back of it within its cool-down is still its own. */
  readonly open: boolean;
  /** Some of its queues, `namespace/queue`: what they tell now says more than what it was opened for. */
  readonly queues: readonly string[];
}

/** So many hosts that are away at once have something in common, be it a network. */
const MOST_HOSTS = 3;

/** Looks at many queues together cost as much as they are many: in all, at so many times those asked for. */
const LOOKS_TOGETHER = 4;
/** Where queues tell of more causes, all together tell of none of them, and each release among them is weighed against all. */
const MOST_TOGETHER = 20;

interface Cluster {
  readonly candidates: readonly Candidate[];
  subject: string;
  readonly open: boolean;
  readonly declaredUnknown: boolean;
  readonly members: readonly CauseProfile[];
  readonly taken: CauseProfile[];
}

/**
 * Which of a namespace's queues go wrong for one cause: the subject of an incident for each of them. A queue looked at alone
 * is often too thin to say, or names what only it sees of a common cause; so the causes are looked for in all together, and
 * each queue is asked whether one of them explains what goes wrong in it:
 *
 *   of an open incident ── of one just over ── of most others, the cause that explains the most queues first ── unknown
 *
 * What clearly says something else stays apart. Pure, and the same in whatever order the queues are named.
 */
export function commonCauses(namespace: string, window: CauseWindow, queues: readonly string[], cases: readonly CauseCase[]): ReadonlyMap<string, string> {
  const slices = new Slices(window);
  const one = (queue: string): CauseProfile => profileOf(queue, slices.of([queue]));
  const profiles = [...new Set(queues)].sort(byName).map(one);
  const standing = cases.toSorted((a, b) => Number(b.open) - Number(a.open) || byName(a.subject, b.subject));
  const clusters = standing.flatMap((found) => standingCluster(namespace, found, slices, one));
  const tellsHosts = tellsApart([...profiles, ...clusters.flatMap(({ members }) => members)], clusters);
  let left = profiles.filter((profile) => !joins(profile, clusters, tellsHosts));
  let looks = LOOKS_TOGETHER * left.length;
  while (left.length > 0) {
    const together = left.length <= looks && causesTold(left) <= MOST_TOGETHER ? [profileOf('', slices.of(left.map(({ name }) => name)))] : [];
    looks -= together.length * left.length;
    const cluster = largest(namespace, left, together, tellsHosts);
    if (cluster === null) break;
    left = left.filter((profile) => !cluster.taken.includes(profile));
    const same = clusters.find(({ subject }) => subject === cluster.subject) ?? clusters.find((found) => becameKnown(found, cluster, tellsHosts));
    if (same === undefined) clusters.push(cluster);
    else same.taken.push(...cluster.taken);
  }
  for (const profile of left) weakest(profile, clusters, tellsHosts)?.taken.push(profile);
  const placed = new Map(clusters.flatMap(({ subject, taken }) => taken.map(({ name }) => [name, subject] as const)));
  for (const { name } of left) if (!placed.has(name)) placed.set(name, causeSubject(namespace, 'unknown', null));
  return placed;
}

function standingCluster(namespace: string, { subject, open, queues }: CauseCase, slices: Slices, one: (queue: string) => CauseProfile): readonly Cluster[] {
  const declared = causeOfSubject(namespace, subject);
  if (declared === null) return [];
  const all = profileOf(subject, slices.of(queues));
  const now: CommonCause = { cause: all.assessment.cause, blame: blameOf(all, true) };
  const candidates = [declared, ...(queues.length === 0 || now.cause === 'unknown' ? [] : [now])].map((cause) => candidateOf(cause, all));
  return [{ candidates, subject, open, declaredUnknown: declared.cause === 'unknown', members: queues.map(one), taken: [] }];
}

/** How many causes they tell of, each by itself. */
function causesTold(left: readonly CauseProfile[]): number {
  return new Set(left.flatMap(({ assessment: { cause, subject } }) => (cause === 'bad_revision' || cause === 'poison_job' ? `${cause}/${String(subject)}` : []))).size;
}

/** Whether one of those that stand takes it. */
function joins(profile: CauseProfile, clusters: readonly Cluster[], tellsHosts: boolean): boolean {
  for (const open of [true, false]) {
    const fits = clusters.filter((c) => c.open === open).map((cluster) => ({ cluster, fit: Math.max(0, ...cluster.candidates.map((c) => fitOf(profile, c, tellsHosts))) }));
    const best = fits.reduce<(typeof fits)[number] | null>((a, b) => (b.fit > (a?.fit ?? 0) ? b : a), null);
    if (best === null) continue;
    best.cluster.taken.push(profile);
    return true;
  }
  return false;
}

/** The cause that explains most of those that are left; null: none explains any. */
function largest(namespace: string, left: readonly CauseProfile[], together: readonly CauseProfile[], tellsHosts: boolean): Cluster | null {
  const found = new Map<string, Candidate>();
  for (const profile of [...together, ...left]) {
    for (const cause of causesOf(profile, tellsHosts)) {
      const key = causeSubject(namespace, cause.cause, cause.blame);
      // What all say together comes first: its words are everybody's.
      if (!found.has(key)) found.set(key, candidateOf(cause, profile));
    }
  }
  const hosts = [...found.values()].some(({ cause, blame }) => cause === 'downstream_outage' && blame !== null);
  let best: Cluster | null = null;
  for (const [subject, candidate] of [...found].sort(([a], [b]) => byName(a, b))) {
    // Who names no host goes with those that do.
    if (hosts && candidate.cause === 'downstream_outage' && candidate.blame === null) continue;
    const taken = left.filter((profile) => fitOf(profile, candidate, tellsHosts) >= LEAST_FIT);
    if (taken.length > (best?.taken.length ?? 0)) best = { candidates: [candidate], subject, open: true, declaredUnknown: false, members: [], taken };
  }
  return best;
}

function causesOf(profile: CauseProfile, tellsHosts: boolean): readonly CommonCause[] {
  const { assessment, findings, host } = profile;
  const own = assessment.cause === 'unknown' ? [] : [{ cause: assessment.cause, blame: blameOf(profile, tellsHosts) }];
  const away = host !== null && tellsHosts && (findings.get('downstream_outage')?.confidence ?? 0) >= LEAST_FIT;
  return away ? [...own, { cause: 'downstream_outage', blame: host }] : own;
}

/** Only what tells one cause from another of its kind: locks and codes are each queue's own words for the same. */
function blameOf({ assessment, host }: CauseProfile, tellsHosts: boolean): string | null {
  switch (assessment.cause) {
    case 'bad_revision':
    case 'poison_job':
    case 'memory':
      return assessment.subject;
    case 'downstream_outage':
      return tellsHosts ? host : null;
    default:
      return null;
  }
}

function candidateOf({ cause, blame }: CommonCause, { words, revisions, suspectWorkers }: CauseProfile): Candidate {
  return { cause, blame, words, revisions, suspectWorkers };
}

/** Nobody knew why, and by now most of its queues say the same as these. */
function becameKnown({ open, declaredUnknown, members }: Cluster, { candidates }: Cluster, tellsHosts: boolean): boolean {
  if (!open || !declaredUnknown || members.length === 0) return false;
  const same = members.filter((profile) => candidates.some((c) => fitOf(profile, c, tellsHosts) >= LEAST_FIT));
  return same.length >= members.length / 2;
}

/** Of what is open by now; the larger one where it fits several alike. */
function weakest(profile: CauseProfile, clusters: readonly Cluster[], tellsHosts: boolean): Cluster | null {
  let best: { readonly cluster: Cluster; readonly fit: number } | null = null;
  for (const cluster of clusters.filter(({ open }) => open).sort((a, b) => sizeOf(b) - sizeOf(a) || byName(a.subject, b.subject))) {
    const fit = Math.max(0, ...cluster.candidates.map((c) => weakFitOf(profile, c, tellsHosts)));
    if (fit > (best?.fit ?? 0)) best = { cluster, fit };
  }
  return best?.cluster ?? null;
}

const sizeOf = ({ members, taken }: Cluster): number => members.length + taken.length;

function tellsApart(profiles: readonly CauseProfile[], clusters: readonly Cluster[]): boolean {
  const declared = clusters.flatMap(({ candidates }) => candidates.flatMap(({ cause, blame }) => (cause === 'downstream_outage' ? (hostName(blame) ?? []) : [])));
  return new Set([...profiles.flatMap(({ host }) => host ?? []), ...declared]).size <= MOST_HOSTS;
}
