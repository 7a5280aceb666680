import type { GateCounts, GateRunTimes, GateSide, GateWindow } from './gate-window.js';
import { OUTCOME_SLOT_MS } from '../cause/outcome-counts.js';
import { slideMs, slotOf } from './slides.js';

/** Who is the canary, and what it is held against. */
export type GateSelection =
  /** Workers that report this track; of several revisions the one that was heard of last for the first time. */
  | { readonly by: 'track'; readonly track: string; readonly baseline: string | null }
  /** Workers that report this revision. */
  | { readonly by: 'revision'; readonly revision: string; readonly baseline: string | null };

/** Counts of one stretch by whoever did it, as they are kept. */
export interface GateRow extends Omit<GateCounts, 'side'> {
  readonly revision: string;
  readonly track: string;
}

export interface GateRunTimeRow extends Omit<GateRunTimes, 'side'> {
  readonly revision: string;
  readonly track: string;
}

/** Who was heard of at all, as far back as anything is kept. */
export interface GateSeen {
  readonly revision: string;
  readonly track: string;
  /** Where the first stretch begins in which it was heard of, and the last one. */
  readonly firstMs: number;
  readonly lastMs: number;
}

export interface GateSpan {
  readonly sinceMs: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** How long a stretch is. */
  readonly slotMs: number;
}

export interface GateChoice {
  /** null: none was heard of. */
  readonly canary: { readonly revision: string; readonly track: string | null } | null;
  /** Somebody was heard of that it could be held against. */
  readonly stable: boolean;
  /** When the canary was first heard of. */
  readonly firstMs: number | null;
}

/** Of everyone that was heard of. `sinceMs`: a rollout began then, and a canary that has not been heard of since is another one's. */
export function chooseCanary(seen: readonly GateSeen[], selection: GateSelection, sinceMs: number): GateChoice {
  const canaries = seen.filter((s) => isCanary(s, selection) && s.lastMs + OUTCOME_SLOT_MS > sinceMs);
  const newest = canaries.reduce<GateSeen | null>((a, b) => (a === null || b.firstMs > a.firstMs ? b : a), null);
  if (newest === null) return { canary: null, stable: seen.some((s) => isStable(s, selection, null)), firstMs: null };
  const own = canaries.filter((s) => s.revision === newest.revision);
  return {
    canary: { revision: newest.revision, track: selection.by === 'track' ? selection.track : null },
    stable: seen.some((s) => isStable(s, selection, newest.revision)),
    firstMs: Math.min(...own.map((s) => s.firstMs)),
  };
}

/** What is counted of a stretch may come in so long after it, ms. */
const SETTLE_MS = 2_000;

/**
 * The time that is judged. A window of up to an hour is looked at in stretches of 10 s, a longer one in those of 5 minutes
 * that are left of what is older: always in the same ones, so that a later look sees what an earlier one saw, and more.
 * The stretch in which the canary was first heard of is left out: stable was there before it. Where the rollout takes longer
 * than the window, it slides by a quarter of itself, on a grid of its own: after an hour the beginning is only known to five minutes.
 */
export function spanOf({ firstMs, sinceMs, nowMs, windowMs }: SpanOf): GateSpan {
  const slotMs = slotOf(windowMs);
  const began = Math.max(firstMs, sinceMs);
  const first = up(began + 1, slotMs);
  const toMs = down(nowMs - SETTLE_MS, slotMs);
  const fromMs = nowMs - windowMs <= first ? first : up(nowMs - windowMs, slideMs(windowMs));
  return { sinceMs: first, fromMs: Math.min(fromMs, Math.max(toMs, first)), toMs: Math.max(toMs, first), slotMs };
}

export interface SpanOf {
  readonly firstMs: number;
  readonly sinceMs: number;
  readonly nowMs: number;
  readonly windowMs: number;
}

/** What lies in the span, by side; the others' are left out. */
export function windowIn(span: GateSpan, selection: GateSelection, revision: string, rows: GateRows): GateWindow {
  const side = (of: { readonly revision: string; readonly track: string }): GateSide | null =>
    of.revision === revision && isCanary(of, selection) ? 'canary' : isStable(of, selection, revision) ? 'stable' : null;
  const inside = <R extends GateRow | GateRunTimeRow>(some: readonly R[]): (R & { side: GateSide })[] =>
    some.flatMap((row) => {
      const own = side(row);
      if (own === null || row.slotMs < span.fromMs || row.slotMs >= span.toMs) return [];
      return [{ ...row, side: own, slotMs: down(row.slotMs, span.slotMs) }];
    });
  return { sinceMs: span.sinceMs, fromMs: span.fromMs, toMs: span.toMs, counts: inside(rows.counts), runTimes: inside(rows.runTimes) };
}

export interface GateRows {
  readonly counts: readonly GateRow[];
  readonly runTimes: readonly GateRunTimeRow[];
}

type Who = Pick<GateSeen, 'revision' | 'track'>;

function isCanary({ revision, track }: Who, selection: GateSelection): boolean {
  return selection.by === 'track' ? track === selection.track : revision === selection.revision;
}

/** Whoever nobody named is on neither side. */
function isStable(who: Who, selection: GateSelection, canary: string | null): boolean {
  const { revision, track } = who;
  if ((revision === '' && track === '') || isCanary(who, selection)) return false;
  if (selection.baseline !== null) return revision === selection.baseline;
  return selection.by === 'track' || revision !== canary;
}

function up(ms: number, slotMs: number): number {
  return Math.ceil(ms / slotMs) * slotMs;
}

function down(ms: number, slotMs: number): number {
  return Math.floor(ms / slotMs) * slotMs;
}
