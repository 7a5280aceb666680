/** The nearest of the known words, when it is near enough to be what was meant. */
export function didYouMean(word: string, known: Iterable<string>): string | null {
  const wanted = word.toLowerCase();
  // A third of the letters may differ: "leese" is "lease", "foo" is nothing.
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** A mend for an unknown key: the likely one, or what there is. */
export function suggestFor(word: string, known: readonly string[]): string {
  const guess = didYouMean(word, known);
  return guess === null ? `known here: ${known.join(', ')}` : `did you mean "${guess}"?`;
}

/** Letters to insert, drop, change or swap; stops counting at `limit`, so that a very long word costs little. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      const changed = (last[column - 1] ?? limit) + (same ? 0 : 1);
      let cost = Math.min((last[column] ?? limit) + 1, (current[column - 1] ?? limit) + 1, changed);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? limit) + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? limit;
}
