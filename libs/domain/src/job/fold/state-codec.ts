import type { JobState } from './state.js';

/**
 * One fold version: the form in which a row's state is stored. A second version is a second file, and its place in
 * `CODECS`; nothing else asks which version it is.
 *
 * Every version's text is JSON, deterministic (two states are equal when their texts are: that is how `audit` compares),
 * and carries the epoch as `e` at its top, where SQL reads it once a row leaves with its period. From version 2 on it
 * begins with `{"v":2`, so that a text says by itself how it is read.
 */
export interface StateCodec {
  /** A whole number from 1, as in the column `fold_version`. */
  readonly version: number;
  /** What this version does not know of is left out: such a row is as if folded by a program of that version. */
  readonly toJson: (state: JobState) => string;
  /** What only later versions know of takes its default. Throws what `JSON.parse` does on a text that is none. */
  readonly fromJson: (text: string) => JobState;
}
