import {
  ApproveVerdicts,
  GradeByTime,
  WrongActs,
  type Incidents,
  type LaneClock,
  type LevelOverrides,
  type PolicySource,
} from '#libs/application';
import type { Metrics } from '#libs/observability';
import { PgVerdictStore, type Database } from '#libs/postgres';

export interface VerdictsParts {
  readonly writes: Database;
  readonly loops: Database;
  readonly clock: LaneClock;
  readonly policies: PolicySource;
  readonly overrides: LevelOverrides;
  readonly incidents: Incidents;
  readonly metrics: Metrics;
}

export interface BuiltVerdicts {
  readonly approvals: ApproveVerdicts;
  readonly wrongActs: WrongActs;
  /** What follows each run of the reconciler: grades by time, and what follows from a wrong act. */
  readonly afterRun: () => Promise<boolean>;
}

export function buildVerdicts({ writes, loops, clock, policies, overrides, incidents, metrics }: VerdictsParts): BuiltVerdicts {
  const store = new PgVerdictStore(loops);
  const byTime = new GradeByTime(store, clock);
  const wrongActs = new WrongActs({
    ...{ store, policies, overrides, incidents },
    observer: {
      wrong: ({ queue, action }) => metrics.wrongActs.add({ queue, action }),
      fellBack: ({ queue }, action) => metrics.levelFallbacks.add({ queue, action }),
    },
  });
  return {
    approvals: new ApproveVerdicts(new PgVerdictStore(writes), policies),
    wrongActs,
    afterRun: async () => {
      const ungraded = await byTime.step();
      return (await wrongActs.step()) || ungraded;
    },
  };
}
