import type { Numbers } from './state-table.js';

/** The steps that nobody has to be asked for: from where to where, as two lists of one length. */
export interface Edges {
  readonly from: Numbers;
  readonly to: Numbers;
}

/**
 * The first state from which none of `good` can be reached, or null. Goes backwards from the good ones, over the edges
 * sorted by where they end: two numbers per edge, however many there are.
 */
export function firstWithoutExit(states: number, good: Uint8Array, { from, to }: Edges): number | null {
  const begin = new Int32Array(states + 1);
  for (let i = 0; i < to.length; i += 1) begin[to.at(i) + 1]! += 1;
  for (let i = 0; i < states; i += 1) begin[i + 1]! += begin[i]!;
  const sources = new Int32Array(to.length);
  const filled = begin.slice();
  for (let i = 0; i < to.length; i += 1) {
    const end = to.at(i);
    sources[filled[end]!] = from.at(i);
    filled[end]! += 1;
  }
  const todo: number[] = [];
  good.forEach((is, state) => {
    if (is === 1) todo.push(state);
  });
  for (let state = todo.pop(); state !== undefined; state = todo.pop()) {
    for (let i = begin[state]!; i < begin[state + 1]!; i += 1) {
      const source = sources[i]!;
      if (good[source] === 1) continue;
      good[source] = 1;
      todo.push(source);
    }
  }
  const stuck = good.indexOf(0);
  return stuck < 0 ? null : stuck;
}
