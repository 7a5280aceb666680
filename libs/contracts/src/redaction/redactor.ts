/** What was stored instead, and where something was cut. */
export interface Redacted {
  readonly value: unknown;
  /** Paths, at most 100, in words that hold no secret themselves. */
  readonly cut: readonly string[];
}

/** Rules of redaction, compiled. Pure: never changes what it is given. */
export interface Redactor {
  /** false: there are no rules at all, nothing need be walked. */
  readonly active: boolean;
  /** Redacts a parsed event. `schema` of its type says what is structure; without it only the envelope is. */
  event(event: unknown, schema?: object): Redacted;
  /** Redacts text that could not be parsed: by pattern, also across JSON escapes, of every queue's rules. */
  text(text: string): { readonly text: string; readonly cuts: number };
}

export const NO_REDACTION: Redactor = {
  active: false,
  event: (value) => ({ value, cut: [] }),
  text: (text) => ({ text, cuts: 0 }),
};
