import { LEVELS, type Level, type QueuePolicy } from '../policy/queue-policy.js';
import type { ReadmitPolicy } from '../policy/readmit-policy.js';

/** What one run goes by: of several queues the most careful of each. */
export interface RunPolicy {
  readonly levels: { readonly throttle: Level; readonly rollback: Level; readonly deadLetter: Level };
  readonly approval: boolean;
  readonly scaleToZero: boolean;
  /** Writes to the cluster per run and minute, whatever goes wrong. */
  readonly writesPerMinute: number;
  /** How soon after a rollback a return to the bad release counts as a revert of it, and not as a new deploy. */
  readonly watchMs: number;
  /** What becomes of the throttle when a person aborts the run. */
  readonly onAbort: 'lift' | 'keep';
  readonly readmit: ReadmitPolicy;
  /** That any of them names. */
  readonly targets: readonly string[];
}

/** Throws where there is none: a run without a queue is none. */
export function strictest(policies: readonly Pick<QueuePolicy, 'levels' | 'rollback' | 'readmit'>[]): RunPolicy {
  const [first] = policies;
  if (first === undefined) throw new Error('a run goes by the policy of a queue at least');
  const least = (level: (p: Pick<QueuePolicy, 'levels'>) => Level): Level => LEVELS[Math.min(...policies.map((p) => LEVELS.indexOf(level(p))))] ?? 'observe';
  return {
    levels: {
      throttle: least((p) => p.levels.throttle),
      rollback: least((p) => p.levels.rollback),
      deadLetter: least((p) => p.levels.deadLetter),
    },
    approval: policies.some((p) => p.rollback.approval),
    scaleToZero: policies.every((p) => p.rollback.scaleToZero),
    writesPerMinute: Math.min(...policies.map((p) => p.rollback.writesPerMinute)),
    watchMs: Math.max(...policies.map((p) => p.rollback.watchMs)),
    onAbort: policies.some((p) => p.rollback.onAbort === 'keep') ? 'keep' : 'lift',
    readmit: {
      steps: first.readmit.steps,
      holdMs: Math.max(...policies.map((p) => p.readmit.holdMs)),
      falls: Math.min(...policies.map((p) => p.readmit.falls)),
      maxRatio: Math.min(...policies.map((p) => p.readmit.maxRatio)),
      minSample: Math.max(...policies.map((p) => p.readmit.minSample)),
    },
    targets: [...new Set(policies.flatMap(({ rollback: { target } }) => target ?? []))],
  };
}
