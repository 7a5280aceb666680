import type { Assessment, Cause, Finding } from '../assessment.js';
import { examine } from '../assess.js';
import { badOf, mostOf, shareOf, sumOf, type WindowFigures } from '../figures.js';
import { hostIn, type Mark } from '../marks.js';
import type { BadAttempt, CauseWindow } from '../window.js';

/** What one queue tells of itself, or several together. */
export interface CauseProfile {
  /** `namespace/queue`, or those of several. */
  readonly name: string;
  readonly assessment: Assessment;
  readonly findings: ReadonlyMap<Cause, Finding>;
  /** Attempts that went wrong since it began, and the leases among them that were lost. */
  readonly bad: number;
  readonly lost: number;
  /** Of the errors that were told: how many, what they point at, what they are called. */
  readonly told: number;
  readonly marks: ReadonlyMap<Mark, number>;
  readonly words: ReadonlyMap<string, number>;
  /** What its errors say is away, by name; null: they name none, or several. */
  readonly host: string | null;
  /** That did any work. */
  readonly revisions: ReadonlySet<string>;
  /** Whose the attempts are that went wrong. */
  readonly badRevisions: ReadonlyMap<string, number>;
  /** That had worked, and worked well, long before anything went wrong. */
  readonly provedRevisions: ReadonlySet<string>;
  readonly workers: readonly (string | null)[];
  /** Who ran what was tried again and again. */
  readonly suspectWorkers: ReadonlySet<string>;
}

export function profileOf(name: string, window: CauseWindow): CauseProfile {
  const { figures, findings, assessment } = examine(window);
  const told = figures.attempts.filter((a) => a.end === 'failed');
  return {
    ...{ name, assessment, told: told.length },
    findings: new Map(findings.map((finding) => [finding.cause, finding])),
    bad: figures.wentBad,
    lost: sumOf(figures.recent.filter((c) => c.slotMs >= figures.onsetMs)).lost,
    marks: tally(told.map(({ mark }) => mark)),
    words: tally(told.map(wordOf)),
    host: hostOf(figures),
    revisions: new Set(window.revisions.map(({ revision }) => revision).filter((revision) => revision !== '')),
    badRevisions: badRevisions(figures),
    provedRevisions: provedRevisions(figures),
    workers: figures.attempts.map(({ worker }) => worker),
    suspectWorkers: new Set(figures.suspects.flatMap((s) => s.attempts.flatMap(({ worker }) => worker ?? []))),
  };
}

export function wordOf({ code, responseStatus, class: name }: BadAttempt): string {
  return code ?? (responseStatus === null ? (name ?? '') : String(responseStatus));
}

/** Of the errors that point elsewhere so many name a host, and so many of those the same one. */
const NAME_ONE = 0.3;
const SAME_ONE = 0.6;

function hostOf({ attempts }: WindowFigures): string | null {
  const pointing = attempts.filter(({ mark }) => mark === 'downstream' || mark === 'timeout');
  const named = pointing.flatMap(({ message }) => hostName(hostIn(message)) ?? []);
  const most = mostOf(named);
  if (most === null || named.length < NAME_ONE * pointing.length) return null;
  return most.times >= SAME_ONE * named.length ? most.word : null;
}

/** Without its port, as it is called wherever it is. An address is no name: of one service there are several. */
export function hostName(host: string | null): string | null {
  const name = host?.toLowerCase().replace(/:\d+$/u, '') ?? '';
  return /^(?:[a-z0-9-]+\.)+[a-z]{2,20}$/u.test(name) ? name : null;
}

function badRevisions({ recent, onsetMs }: WindowFigures): ReadonlyMap<string, number> {
  const since = Map.groupBy(recent.filter((c) => c.slotMs >= onsetMs), ({ revision }) => revision);
  return new Map([...since].map(([revision, cells]) => [revision, badOf(sumOf(cells)).of]));
}

/** Longer than a release that fails from its first jobs on takes to show it, its workers' leases included, ms. */
const LONG_BEFORE_MS = 300_000;
const MOST_BAD = 0.1;

/** Of one that nobody knows to have begun its first work tells: a queue that is new has seen none begin either. */
function provedRevisions({ window, onsetMs }: WindowFigures): ReadonlySet<string> {
  const before = Map.groupBy(window.cells.filter((c) => c.slotMs < onsetMs), ({ revision }) => revision);
  const proved = [...before].filter(([revision, cells]) => {
    const seen = window.revisions.flatMap((one) => (one.revision === revision && one.firstMs !== null ? [one.firstMs] : []));
    const ended = badOf(sumOf(cells));
    return ended.all > 0 && shareOf(ended) <= MOST_BAD && earliest(seen.length > 0 ? seen : cells.map(({ slotMs }) => slotMs)) <= onsetMs - LONG_BEFORE_MS;
  });
  return new Set(proved.map(([revision]) => revision));
}

function earliest(times: readonly number[]): number {
  return times.reduce((a, b) => Math.min(a, b), Infinity);
}

function tally<T>(words: readonly T[]): ReadonlyMap<T, number> {
  const times = new Map<T, number>();
  for (const word of words) times.set(word, (times.get(word) ?? 0) + 1);
  return times;
}
