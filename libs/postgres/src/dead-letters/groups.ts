import type { SortedLetter } from '#libs/application';

const HOUR_MS = 3_600_000;

/** Dead letters of one pattern. */
export interface Group {
  readonly fingerprint: string;
  /** What they have in common stands in each of them. */
  readonly first: SortedLetter;
  readonly letters: readonly SortedLetter[];
  /** How many in which hour since 1970, UTC: days of 23 and 25 hours do not matter. */
  readonly hours: ReadonlyMap<number, number>;
}

export function grouped(letters: readonly SortedLetter[]): readonly Group[] {
  const groups = new Map<string, { first: SortedLetter; letters: SortedLetter[]; hours: Map<number, number> }>();
  for (const letter of letters) {
    const group = groups.get(letter.fingerprint) ?? { first: letter, letters: [], hours: new Map<number, number>() };
    groups.set(letter.fingerprint, group);
    group.letters.push(letter);
    const hour = Math.floor(letter.atMs / HOUR_MS);
    group.hours.set(hour, (group.hours.get(hour) ?? 0) + 1);
  }
  return [...groups].map(([fingerprint, group]) => ({ fingerprint, ...group }));
}
