/** Id of an entry of a Redis stream: `<ms>-<n>`. */
export type StreamId = string;

export const BEFORE_ALL: StreamId = '0-0';

/** When Redis wrote the entry, by its own clock, ms. */
export function entryMs(id: StreamId): number {
  return Number(id.slice(0, id.indexOf('-')));
}

/** Negative: `a` came first. */
export function compareIds(a: StreamId, b: StreamId): number {
  return entryMs(a) - entryMs(b) || Number(a.slice(a.indexOf('-') + 1)) - Number(b.slice(b.indexOf('-') + 1));
}
