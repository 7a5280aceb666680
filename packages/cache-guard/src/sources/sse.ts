import type { InvalidationSource, SourceItem } from '../invalidation.js';
import { itemOf } from './read-event.js';

/** A client of `@jobwarden/client`, or whatever has the same `stream`. */
export interface StreamingClient {
  stream(name: 'invalidations', options: { readonly queue?: string; readonly from?: string; readonly ref?: boolean; readonly signal: AbortSignal }): AsyncIterable<StreamedItem>;
}

type StreamedItem =
  | { readonly kind: 'event'; readonly id: string; readonly event: unknown }
  | { readonly kind: 'position' | 'reset'; readonly id: string };

export interface SseOptions {
  readonly client: StreamingClient;
  /** Only this queue's. Default: all of the client's namespace. Replicas that share a store must follow the same. */
  readonly queue?: string;
}

/** Invalidations over server-sent events: in the order of each shard. Breaks are mended by the client, without a loss. */
export function sseInvalidations({ client, queue }: SseOptions): InvalidationSource {
  return {
    name: `sse:${queue ?? ''}`,
    ordered: true,
    async *follow(from, signal): AsyncGenerator<SourceItem, void, void> {
      for await (const item of client.stream('invalidations', { ...(queue !== undefined && { queue }), from: from ?? 'now', ref: false, signal })) {
        yield item.kind === 'event' ? itemOf(item.id, item.event) : { kind: item.kind, id: item.id };
      }
    },
  };
}
