/** Where something stands in Jobwarden's log. Numbers of two shards are never compared. */
export interface LogPosition {
  readonly shard: number;
  readonly number: number;
}

/** What is no longer true: `data` of `jobwarden.invalidation.v1`. */
export interface Invalidation {
  readonly keys: readonly string[];
  readonly tags: readonly string[];
  readonly position: LogPosition;
}

export type SourceItem =
  | { readonly kind: 'invalidation'; readonly id: string; readonly invalidation: Invalidation }
  /** A sign of life: everything up to `id` has been read. The first one comes as soon as the stream stands. */
  | { readonly kind: 'position'; readonly id: string; readonly behind?: number }
  /** Something may have been missed. It goes on from `id`. */
  | { readonly kind: 'reset'; readonly id: string };

/** Where invalidations come from: `sseInvalidations`, `kafkaInvalidations`, or one of your own. */
export interface InvalidationSource {
  /** Positions of two sources are kept apart by it. */
  readonly name: string;
  /** Those of one shard come in the order of their numbers, so the highest number read says that all below it were. */
  readonly ordered: boolean;
  /** @param from The id of the last item that was dealt with; null: from now on. It may throw, and is asked again. */
  follow(from: string | null, signal: AbortSignal): AsyncIterable<SourceItem>;
}

/** Keys and tags in one name space. */
export const keyName = (key: string): string => `k:${wellFormed(key)}`;
export const tagName = (tag: string): string => `t:${wellFormed(tag)}`;

/** Half a surrogate pair has no bytes in UTF-8: Redis would refuse the whole batch, again and again. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD');

export function namesOf({ keys, tags }: Pick<Invalidation, 'keys' | 'tags'>): string[] {
  return [...keys.map(keyName), ...tags.map(tagName)];
}

export const positionName = ({ shard, number }: LogPosition): string => `p:${shard}:${number}`;
