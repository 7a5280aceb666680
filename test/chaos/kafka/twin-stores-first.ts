import { LaneIngest } from '#libs/application';
import { PgLogStore, type PgLaneStore } from '#libs/postgres';

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

// It is killed while it stores what it read, never in a decision of its own, of which it would lose nothing.
interface Killable {
  transact(request: { readonly lane: number }, work: unknown): Promise<unknown>;
}
const killable = PgLogStore.prototype as unknown as Killable;
const { transact } = killable;
const FIRST_KAFKA_LANE = 2;

killable.transact = async function (this: Killable, request, work) {
  const store = request.lane >= FIRST_KAFKA_LANE ? this : (Object.create(this, { failpoint: { value: () => Promise.resolve() } }) as Killable);
  return await transact.call(store, request, work);
};

await import('../../../apps/server/src/main.js');
