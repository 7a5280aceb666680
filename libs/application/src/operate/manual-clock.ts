import type { LanesRead } from '../lanes/lanes-read.js';
import type { ClockReading, ClockStore } from '../ports/operate-store.port.js';

export type ClockOutcome =
  | { readonly kind: 'set'; readonly nowMs: number }
  | { readonly kind: 'refused'; readonly code: ClockRefusal; readonly detail: string; readonly nowMs: number };

export type ClockRefusal = 'clock_is_real' | 'clock_goes_back' | 'clock_absurd' | 'lanes_behind';

/** The last instant that JavaScript's dates know, and far below 2⁵³. */
const LAST_INSTANT_MS = 8_640_000_000_000_000;

/**
 * `PUT /v1/clock`: the lane time of every lane, on a database made for it. Never backwards: deadlines that have passed
 * have been acted on.
 *
 * Lanes that are read by position take their time from it as well, when something of them is stored. So what lies in
 * them is read first, and counts as come before; and they count as read up to the new time, so that no look right after
 * it is held back by them. What is produced while the call is under way may be on either side.
 */
export class ManualClock {
  constructor(
    private readonly store: ClockStore,
    private readonly lanes: Pick<LanesRead, 'toTheirEnds'> | null = null,
  ) {}

  async read(): Promise<ClockReading> {
    return await this.store.read();
  }

  /**
   * Idempotent: the same instant again changes nothing. `untilDue`: only as far as the next decision that falls due
   * before it, so that a replay can have every look in its own time.
   */
  async set(nowMs: number, { untilDue = false }: { readonly untilDue?: boolean } = {}): Promise<ClockOutcome> {
    if (!Number.isSafeInteger(nowMs) || nowMs < 0 || nowMs > LAST_INSTANT_MS) {
      return await this.refuse('clock_absurd', 'give an instant from 1970 on, in whole milliseconds');
    }
    const { mode } = await this.store.read();
    const unread = mode === 'real' ? [] : ((await this.lanes?.toTheirEnds()) ?? []);
    if (unread.length > 0) {
      return await this.refuse('lanes_behind', `not everything has been read of ${unread.join(', ')}: the clock stays; ask again`);
    }
    const moved = await this.store.advance(nowMs, untilDue);
    if (moved !== null) return { kind: 'set', nowMs: moved.nowMs };
    return mode === 'real'
      ? await this.refuse(
          'clock_is_real',
          'this database takes the time from its own clock; make one with `jobwarden migrate --clock manual`',
        )
      : await this.refuse(
          'clock_goes_back',
          'the clock of this database is ahead of that instant, and never goes back',
        );
  }

  private async refuse(code: ClockRefusal, detail: string): Promise<ClockOutcome> {
    return { kind: 'refused', code, detail, nowMs: (await this.store.read()).nowMs };
  }
}
