import type { TimedEvent } from './line-events.js';

export interface Batch {
  readonly events: readonly TimedEvent[];
  readonly body: string;
}

export interface BatchLimits {
  readonly events: number;
  readonly bytes: number;
  /** Times further apart than this, ms, do not share a batch; null: however far. */
  readonly spanMs: number | null;
}

/** Cuts a stream of events into the bodies of requests. An event too long for any request goes alone, to be refused. */
export async function* batches(source: AsyncIterable<TimedEvent>, limits: BatchLimits): AsyncGenerator<Batch> {
  let events: TimedEvent[] = [];
  let texts: string[] = [];
  let bytes = 2;
  const cut = (): Batch => {
    const batch = { events, body: `[${texts.join(',')}]` };
    [events, texts, bytes] = [[], [], 2];
    return batch;
  };
  for await (const event of source) {
    const text = JSON.stringify(event.event);
    const size = Buffer.byteLength(text, 'utf8') + 1;
    const first = events[0];
    const apart = first !== undefined && limits.spanMs !== null && event.atMs - first.atMs > limits.spanMs;
    if (events.length > 0 && (apart || events.length >= limits.events || bytes + size > limits.bytes)) yield cut();
    events.push(event);
    texts.push(text);
    bytes += size;
  }
  if (events.length > 0) yield cut();
}
