import type { Span } from './bars';

export interface Gap {
  /** Where it is drawn, percent of the width. */
  readonly at: number;
  /** How much time is left out there, ms. */
  readonly ms: number;
}

export interface Axis {
  readonly fromMs: number;
  readonly toMs: number;
  readonly gaps: readonly Gap[];
  /** 0 to 100. */
  at(ms: number): number;
}

/** A stretch in which nobody works, and which is longer than this share of all the work, is drawn as a gap. */
const LONG_SHARE = 0.25;
/** As wide as this share of all the work. */
const GAP_SHARE = 0.08;

/** Time from left to right, without the hours in which a job only waited: its three seconds of work must be seen. */
export function axisOf(spans: readonly Span[], moments: readonly number[] = []): Axis {
  const all = [...spans.flatMap(({ fromMs, toMs }) => [fromMs, toMs]), ...moments];
  const fromMs = Math.min(...all);
  const toMs = Math.max(...all, fromMs + 1);
  const busy = merged(spans.filter(({ kind }) => kind !== 'waiting'));
  // Work of a few milliseconds must not make a gap of every second.
  const workMs = Math.max(1_000, busy.reduce((sum, [from, to]) => sum + to - from, 0));
  const pieces: { readonly from: number; readonly to: number; readonly width: number; readonly gap: boolean }[] = [];
  let atMs = fromMs;
  for (const [from, to] of [...busy, [toMs, toMs] as const]) {
    const idle = from - atMs;
    const long = busy.length > 0 && idle > workMs * LONG_SHARE;
    if (idle > 0) pieces.push({ from: atMs, to: from, width: long ? workMs * GAP_SHARE : idle, gap: long });
    if (to > from) pieces.push({ from, to, width: to - from, gap: false });
    atMs = Math.max(atMs, to);
  }
  const total = pieces.reduce((sum, { width }) => sum + width, 0);
  const at = (ms: number): number => {
    let left = 0;
    for (const { from, to, width } of pieces) {
      if (ms <= to) return ((left + (Math.max(0, ms - from) / (to - from)) * width) / total) * 100;
      left += width;
    }
    return 100;
  };
  return { fromMs, toMs, at, gaps: pieces.filter(({ gap }) => gap).map(({ from, to }) => ({ at: (at(from) + at(to)) / 2, ms: to - from })) };
}

function merged(spans: readonly Span[]): readonly (readonly [number, number])[] {
  const result: [number, number][] = [];
  for (const { fromMs, toMs } of [...spans].sort((a, b) => a.fromMs - b.fromMs)) {
    const last = result.at(-1);
    if (last !== undefined && fromMs <= last[1]) last[1] = Math.max(last[1], toMs);
    else result.push([fromMs, toMs]);
  }
  return result;
}
