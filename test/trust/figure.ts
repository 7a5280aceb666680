/** What a figure of the trust report gets. */
export interface Trust {
  /** Real durations, as in the soak; otherwise divided by 20, for a run within CI's time. */
  readonly real: boolean;
  /** Says what is being done, and how far it is. */
  readonly progress: (text: string) => void;
}

/** One question a sceptical operator asks, answered by the shipped processes. */
export interface TrustFigure {
  /** For `--only`. */
  readonly name: string;
  readonly title: string;
  /** Why it cannot be answered here (no Java, no data), or null. With `CI=true` that is a failure. */
  leftOut?(): string | null;
  run(trust: Trust): Promise<TrustResult>;
}

export interface TrustResult {
  /** How it was found out, so that it can be judged, and done again elsewhere. */
  readonly method: readonly string[];
  /** The figures, for people. */
  readonly lines: readonly string[];
  readonly counts: readonly TrustCount[];
}

/** A number that decides over the exit code: a time never does. */
export interface TrustCount {
  readonly of: string;
  readonly found: number;
  readonly wanted: { readonly exactly: number } | { readonly atLeast: number } | { readonly atMost: number };
}

export function isMissed({ found, wanted }: TrustCount): boolean {
  if ('exactly' in wanted) return found !== wanted.exactly;
  // Neither is satisfied by NaN.
  return 'atLeast' in wanted ? !(found >= wanted.atLeast) : !(found <= wanted.atMost);
}
