/**
 * Whether so many workers of a queue fell silent at once that it is likelier that we do not hear them than that they
 * died. Recovery is then held: to run the jobs again would be the incident.
 *
 *   none ──at least `minWorkers`, over `share` of all──► held ──they beat again, or others do──► none
 *                                                         ├───an operator──────────────────────► none
 *                                                         └───`holdMax`, and the lane is alive──► none
 *
 * Workers are counted, and not their jobs: one that dies with all the jobs of a queue is no blackout.
 */
export interface BlackoutRule {
  readonly minWorkers: number;
  /** Over it; so 1 is never reached. */
  readonly share: number;
  readonly holdMaxMs: number;
}

export interface WorkerCount {
  /** Silent past their leases since one lease ago; while recovery is held, since it began. */
  readonly lost: number;
  /** Under a lease of the queue. */
  readonly live: number;
}

export interface BlackoutSeen extends WorkerCount {
  readonly nowMs: number;
  /** Since when recovery is held; null: it is not. */
  readonly sinceMs: number | null;
  /** Something has come by the lane since then that only a lane in order carries. */
  readonly laneAlive: boolean;
}

export type BlackoutMove = 'begin' | 'end-by-evidence' | 'end-by-time' | null;

export function isBlackout({ lost, live }: WorkerCount, { minWorkers, share }: BlackoutRule): boolean {
  return lost >= minWorkers && lost > share * (lost + live);
}

export function blackoutMove(seen: BlackoutSeen, rule: BlackoutRule): BlackoutMove {
  const { sinceMs, nowMs, laneAlive } = seen;
  const standing = isBlackout(seen, rule);
  if (sinceMs === null) return standing ? 'begin' : null;
  if (!standing) return 'end-by-evidence';
  return laneAlive && nowMs >= sinceMs + rule.holdMaxMs ? 'end-by-time' : null;
}

export interface RevisionCount {
  readonly revision: string;
  readonly lost: number;
  readonly live: number;
}

/**
 * The release that everybody who fell silent is of, while nobody of it beats and others do. A network does not choose by release, so this is what to look at
 * first; recovery stays held all the same, since a release may have a zone of its own. null: there is none, or not everybody's release is known.
 */
export function soleRelease(revisions: readonly RevisionCount[], lostWorkers: number): string | null {
  const [first, ...others] = revisions.filter(({ lost }) => lost > 0);
  if (first === undefined || others.length > 0 || first.live > 0 || first.lost < lostWorkers) return null;
  return revisions.some(({ live }) => live > 0) ? first.revision : null;
}
