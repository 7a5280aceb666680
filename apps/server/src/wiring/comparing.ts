import { setTimeout as delay } from 'node:timers/promises';
import { Compare, MendDifferences, Meter, type LaneClock, type LogStore, type PolicySource } from '#libs/application';
import { PgCompareStore, type Database } from '#libs/postgres';

export interface ComparingParts {
  readonly reads: Database;
  readonly log: LogStore;
  readonly clock: LaneClock;
  readonly policies: PolicySource;
  readonly actions: 'on' | 'off';
}

/** Comparisons with what somebody else believes, and their mends. */
export function buildComparing({ reads, log, clock, policies, actions }: ComparingParts): Compare {
  const store = new PgCompareStore(reads);
  const nowMs = () => performance.now();
  const pause = async (ms: number, signal?: AbortSignal): Promise<void> => {
    await delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  };
  const mender = new MendDifferences({
    log,
    clock,
    policies,
    meter: new Meter(pause, nowMs),
    invalidatesOfSuccesses: (keys) => store.invalidatesOfSuccesses(keys),
    actionsAllowed: actions === 'on',
  });
  return new Compare({ store, mender, pause, nowMs });
}
