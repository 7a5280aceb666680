import type { StreamId } from './stream-id.js';

/** One entry of a queue's events stream. */
export interface Entry {
  readonly id: StreamId;
  /** `added`, `waiting`, `active`, `completed`, `failed`, `stalled`, `delayed`, `removed`, `progress`, `drained` … */
  readonly event: string;
  /** Empty where the event is the queue's. */
  readonly nativeId: string;
  /** The state that the job came from, where BullMQ says so. */
  readonly prev: string;
  readonly fields: Readonly<Record<string, string>>;
}

export function entryOf([id, flat]: readonly [string, readonly string[]]): Entry {
  const fields: Record<string, string> = {};
  for (let i = 0; i + 1 < flat.length; i += 2) fields[flat[i] ?? ''] = flat[i + 1] ?? '';
  return { id, event: fields['event'] ?? '', nativeId: fields['jobId'] ?? '', prev: fields['prev'] ?? '', fields };
}

/** One script writes both, so nothing stands between them. */
export function stalls(entries: readonly Entry[], at: number): boolean {
  const next = entries[at + 1];
  return next?.event === 'stalled' && next.nativeId === entries[at]?.nativeId;
}

/** Nothing but progress is said of its job behind it. */
export function isLastOf(entries: readonly Entry[], at: number): boolean {
  const nativeId = entries[at]?.nativeId;
  return !entries.some((other, i) => i > at && other.nativeId === nativeId && other.event !== 'progress');
}

/** How many of these entries of one job end a start, as `atm` counts them. */
export function endedStarts(entries: readonly Entry[]): number {
  let ended = 0;
  let active = entries[0]?.prev === 'active';
  for (const [at, { event }] of entries.entries()) {
    if (event === 'active') active = true;
    else if (event === 'completed' || event === 'failed') ended += 1;
    else if (active && (event === 'waiting' || event === 'delayed')) {
      active = false;
      if (!stalls(entries, at)) ended += 1;
    }
  }
  return ended;
}
