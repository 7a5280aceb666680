import { CODECS } from './codecs.js';
import type { StateCodec } from './state-codec.js';
import type { JobState } from './state.js';

/*
 * Fold versions. A row has the version that it was written in, and keeps it: only a fold of its whole log gives it
 * another one, since a newer version may know of what an older one has left out. Rows of new jobs, and refolded ones, get
 * the version in force, which lies in the database: a newer program writes the old version until it is told to switch.
 */
export const OLDEST_FOLD_VERSION = CODECS[0].version;
export const NEWEST_FOLD_VERSION = CODECS.at(-1)?.version ?? OLDEST_FOLD_VERSION;

/** Can this program read and write rows of this version? */
export function knowsFoldVersion(version: number): boolean {
  return version >= OLDEST_FOLD_VERSION && version <= NEWEST_FOLD_VERSION;
}

/** A row of a version that this program does not know: reading on would misread it. */
export class UnknownFoldVersion extends Error {
  constructor(readonly version: number) {
    super(unknownFold('rows were', version));
    this.name = 'UnknownFoldVersion';
  }
}

/** The one sentence for it, wherever it is met; `what` begins it. */
export function unknownFold(what: string, version: number): string {
  const range =
    OLDEST_FOLD_VERSION === NEWEST_FOLD_VERSION
      ? String(NEWEST_FOLD_VERSION)
      : `${String(OLDEST_FOLD_VERSION)} to ${String(NEWEST_FOLD_VERSION)}`;
  const mend = version > NEWEST_FOLD_VERSION ? 'run the newer Jobwarden' : 'run the release before this one, and switch first';
  return `${what} folded by version ${String(version)}, this program knows ${range}: ${mend}`;
}

/** The row's text in a version of `CODECS`. Throws {@link UnknownFoldVersion}. */
export function storedText(state: JobState, version: number): string {
  return codecOf(version).toJson(state);
}

/** The text in the newest form: two states are equal when these are. */
export function stateToJson(state: JobState): string {
  return storedText(state, NEWEST_FOLD_VERSION);
}

/** Reads a row's text, whatever version it is of. Throws {@link UnknownFoldVersion}. */
export function stateFromJson(text: string): JobState {
  return codecOf(versionOf(text)).fromJson(text);
}

const MARK = '{"v":';

function versionOf(text: string): number {
  return text.startsWith(MARK) ? Number.parseInt(text.slice(MARK.length), 10) : 1;
}

function codecOf(version: number): StateCodec {
  const codec = CODECS[version - OLDEST_FOLD_VERSION];
  if (codec === undefined) throw new UnknownFoldVersion(version);
  return codec;
}
