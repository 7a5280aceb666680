import { parseArgs } from 'node:util';
import { chosen } from '../../figures/command.js';
import type { RollbackFigure } from './figure.js';

export interface RollbackReportOptions {
  readonly figures: readonly RollbackFigure[];
  readonly runs: number;
  /** Runs of a figure at a time. */
  readonly lanes: number;
  /** All figures at the same time: they mostly wait. */
  readonly atOnce: boolean;
  readonly help: boolean;
}

export const USAGE = `npm run report:rollback -- [--only NAME]… [--runs N] [--lanes N] [--at-once] [--small]

Starts the shipped service, a real Kubernetes control plane and a fleet of workers on it, releases a revision that fails
every job, and prints how long it took until it was isolated and until intake was whole again, beside the shell script that
teams use. Five runs of a figure at a time: about an hour in all, or a quarter of one with --at-once
and a machine to itself.
  --only NAME   only this figure; may be repeated: saga, quarantine, reverted, script
  --runs N      runs of each figure, 1 to 100 (20)
  --lanes N     runs of a figure at a time, 1 to 20 (5); each keeps four workers busy
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
      lanes: { type: 'string' },
      'at-once': { type: 'boolean', default: false },
      small: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const runs = numberOf('runs', values.runs ?? (values.small ? '2' : '20'), 100);
  const lanes = numberOf('lanes', values.lanes ?? '5', 20);
  return { figures: chosen(figures, values.only), runs, lanes, atOnce: values['at-once'] || values.small, help: values.help };
}

function numberOf(name: string, given: string, most: number): number {
  const number = Number(given);
  if (!Number.isInteger(number) || number < 1 || number > most) throw new Error(`--${name} is ${given}: give a whole number from 1 to ${String(most)}`);
  return number;
}
