import {
  HELD_BY_BUDGET,
  Loop,
  Probing,
  Reconciler,
  takesToken,
  type Blackouts,
  type DueStore,
  type JobWrite,
  type LaneClock,
  type LogStore,
  type PolicySource,
  type RunOptions,
  type RunResult,
} from '#libs/application';
import type { Metrics } from '#libs/observability';
import { PgDueStore, PgProbingStore, PgReconciliationStore, type Database } from '#libs/postgres';
import type { Logger } from 'pino';
import { traces } from './traces.js';

export interface ReconcilingParts {
  readonly database: Database;
  readonly log: LogStore;
  readonly clock: LaneClock;
  readonly policies: PolicySource;
  readonly blackouts: Pick<Blackouts, 'watch'>;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly clockMode: 'real' | 'manual';
  /** Reads what run times teach up to now: with a manual clock a day's runs end in a moment. */
  readonly learn: () => Promise<void>;
  /** false: this replica lets nothing out. */
  readonly actionsAllowed: boolean;
  /** After each run that was not dry; answers whether there is more of it. */
  readonly afterRun: () => Promise<boolean>;
}

export interface BuiltReconciling {
  readonly due: DueStore;
  readonly reconciler: Pick<Reconciler, 'runOnce'>;
  readonly loop: Loop;
  /** Somebody moves the manual clock, and will ask for runs himself. */
  readonly attended: () => void;
  /** What was committed may be due at once. */
  readonly committed: (writes: readonly JobWrite[]) => void;
}

/** A dead worker's job waits for two looks, one at the end of its lease and one at that of its grace. */
const IDLE_MS = 100;
/**
 * With a manual clock whoever moves it asks for runs himself, and counts on their rows: the schedule only comes in when
 * nobody has asked for so long.
 */
const MANUAL_QUIET_MS = 5_000;

export function buildReconciling(parts: ReconcilingParts): BuiltReconciling {
  const { database, log, clock, policies, metrics, logger, clockMode, actionsAllowed, blackouts, afterRun, learn } = parts;
  const due = new PgDueStore(database);
  const real = new Reconciler(
    { due, log, clock, policies, blackouts, probing: new Probing(new PgProbingStore(database), policies), runs: new PgReconciliationStore(database), traces: traces() },
    {
      actionsAllowed,
      unlookable: ({ ref }, error) => logger.error({ ...ref, err: error }, 'a due job could not be looked at, and is left aside for a while'),
    },
  );
  let askedMs = performance.now();
  const attended = (): void => {
    askedMs = performance.now();
  };
  const timed = async (run: RunOptions) => {
    const startedMs = performance.now();
    const result = await real.runOnce(run);
    metrics.sweepDuration.observe({}, (performance.now() - startedMs) / 1_000);
    metrics.sweepLooked.add({}, result.looked);
    metrics.sweepDecided.add({}, result.decided);
    if (run.dryRun !== true) countBudget(metrics, result.rows);
    const more = run.dryRun !== true && (await afterRun());
    return more ? { ...result, more } : result;
  };
  const step = async (): Promise<boolean> => {
    if (clockMode === 'manual' && performance.now() - askedMs < MANUAL_QUIET_MS) return false;
    return (await timed({})).more;
  };
  const loop = new Loop(step, { idleMs: IDLE_MS, onError: (error) => logger.warn({ err: error }, 'a look at what is due failed, and is repeated') });
  return {
    due,
    reconciler: {
      runOnce: async (run) => {
        attended();
        if (clockMode === 'manual') await learn();
        return await timed(run ?? {});
      },
    },
    loop,
    attended,
    committed: (writes) => {
      if (clockMode === 'real' && writes.some((write) => write.waitsFor === 'decision')) loop.wake();
    },
  };
}

/** What nobody but Jobwarden asked for took a token when it was decided. */
function countBudget(metrics: Metrics, rows: RunResult['rows']): void {
  for (const { ref, outcome, action, decisions, heldBy } of rows) {
    const { queue } = ref;
    if (heldBy === HELD_BY_BUDGET) metrics.budgetDenied.add({ queue });
    if (outcome === 'decided' && action !== null && decisions.some(takesToken)) metrics.budgetSpent.add({ queue });
  }
}
