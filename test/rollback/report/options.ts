import { parseArgs } from 'node:util';
import { chosen } from '../../figures/command.js';
import type { RollbackFigure } from './figure.js';

export interface RollbackReportOptions {
  readonly figures: readonly RollbackFigure[];
  readonly runs: number;
  /** All figures at the same time: they mostly wait. */
  readonly atOnce: boolean;
  readonly help: boolean;
}

export const USAGE = `npm run report:rollback -- [--only NAME]… [--runs N] [--at-once] [--small]

Starts the shipped service, a real Kubernetes control plane and a fleet of workers on it, releases a revision that fails
every job, and prints how long it took until it was isolated and until intake was whole again, beside the shell script that
teams use. Five runs of a figure at a time: about half an hour in all, or a dozen minutes with --at-once.
  --only NAME   only this figure; may be repeated: saga, quarantine, reverted, script
  --runs N      runs of each figure, 1 to 100 (20)
  --at-once     all figures at the same time: they mostly wait
  --small       the same, with two runs of each: about four minutes
Needs Go and etcd; see CONTRIBUTING.md. Exits with 1 when a count was missed, never because of a time.`;

/** Throws with what is wrong. */
export function readOptions(args: readonly string[], figures: readonly RollbackFigure[]): RollbackReportOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true },
      runs: { type: 'string' },
      'at-once': { type: 'boolean', default: false },
      small: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const runs = Number(values.runs ?? (values.small ? 2 : 20));
  if (!Number.isInteger(runs) || runs < 1 || runs > 100) throw new Error(`--runs is ${String(values.runs)}: give a whole number from 1 to 100`);
  return { figures: chosen(figures, values.only), runs, atOnce: values['at-once'] || values.small, help: values.help };
}
