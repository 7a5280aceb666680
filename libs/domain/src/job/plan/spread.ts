/**
 * A number in [0, 1) from (job, attempt), by FNV-1a: jitter that needs no memory. The same attempt always gets the
 * same wait, on every replica and after every restart, and neighbours get unrelated ones.
 */
export function spreadOf(jobKeyHex: string, attempt: number): number {
  const text = `${jobKeyHex}/${String(attempt)}`;
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  // A last mix: FNV's high bits move little for texts that differ only at the end.
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  hash ^= hash >>> 12;
  return (hash >>> 0) / 2 ** 32;
}
