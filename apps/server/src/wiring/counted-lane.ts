import type { PgLaneClock } from '#libs/postgres';
import type { HttpLane } from '../services.js';

/** The lane's clock, with a count of what is in flight here. */
export function countedLane(clock: PgLaneClock): HttpLane {
  let inFlight = 0;
  return {
    read: () => clock.read(),
    refresh: () => clock.refresh(),
    enter() {
      const leave = clock.enter();
      inFlight += 1;
      let entered = true;
      return () => {
        if (entered) inFlight -= 1;
        entered = false;
        leave();
      };
    },
    get inFlightCount() {
      return inFlight;
    },
  };
}
