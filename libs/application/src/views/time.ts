/** The last instant that a date can say: 275760-09-13. */
const LAST_MS = 8.64e15;

/** A lane time as the API shows it. An absurd one is shown at the end of time rather than breaking the whole answer. */
export function iso(ms: number): string {
  return new Date(Math.max(-LAST_MS, Math.min(LAST_MS, ms))).toISOString();
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}
