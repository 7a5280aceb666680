import { LaneIngest } from '#libs/application';
import type { PgLaneStore } from '#libs/postgres';

/**
 * A broken twin of the service: it stores how far a lane has been read before it stores what it read. Everything else is
 * the shipped program. The chaos run must find it out.
 */
interface Inside {
  readonly parts: { readonly lanes: PgLaneStore; readonly writer: object };
  store(move: { lane: number; seen: number; next: number; readMs: number; gapEndMs: number }, batch: unknown): Promise<unknown>;
}
const inside = LaneIngest.prototype as unknown as Inside;
const { store } = inside;

inside.store = async function (this: Inside, move, batch) {
  await this.parts.lanes.advance([move]);
  return await store.call(this, { ...move, seen: move.next }, batch);
};

await import('../../../apps/server/src/main.js');
