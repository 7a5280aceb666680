import { setTimeout as delay } from 'node:timers/promises';
import type { Guard } from './guard.js';
import type { InvalidationSource, SourceItem } from './invalidation.js';
import type { SharedStore } from './shared/shared-store.js';

export interface FollowParts {
  readonly source: InvalidationSource;
  readonly guard: Guard;
  readonly shared: SharedStore;
  readonly signal: AbortSignal;
  /** Between two tries at a source that has ended, ms. */
  readonly retryMs: number;
  readonly heard: (item: SourceItem) => void;
  readonly onError: (error: unknown) => void;
}

/** How often a position without an invalidation is kept, ms. */
const KEEP_MS = 5_000;

/**
 * Follows the source from where the shared store has been brought to, so that what came while no replica was there is
 * applied as well. Where that is not known, everything stored so far is stale.
 */
export async function follow({ source, guard, shared, signal, retryMs, heard, onError }: FollowParts): Promise<void> {
  let from = await shared.position(source.name).catch((error: unknown) => {
    onError(error);
    return null;
  });
  let keptAt = -Infinity;
  while (!signal.aborted) {
    try {
      for await (const item of source.follow(from, signal)) {
        // Nothing here is waited for: a store that is away must not keep the first level from hearing.
        if (item.kind === 'reset' || from === null) void guard.reset(item.id);
        if (item.kind === 'invalidation') void guard.invalidate(item.invalidation, item.id);
        else if (performance.now() - keptAt > KEEP_MS) {
          keptAt = performance.now();
          guard.keepPosition(item.id).catch(onError);
        }
        from = item.id;
        heard(item);
      }
    } catch (error) {
      onError(error);
    }
    await delay(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
