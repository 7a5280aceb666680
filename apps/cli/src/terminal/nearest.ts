/** The name that somebody may have meant; null: none is near. */
export function nearest(name: string, names: readonly string[]): string | null {
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const other of names) {
    const distance = editDistance(name.toLowerCase(), other.toLowerCase());
    if (distance <= Math.max(2, Math.floor(name.length / 3)) && (best === null || distance < best.distance)) best = { name: other, distance };
  }
  return best?.name ?? null;
}

/** Letters to add, take away or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
