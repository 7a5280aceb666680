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
