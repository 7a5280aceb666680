import { parseArgs } from 'node:util';
import { chosen } from '../../../figures/command.js';
import type { BullmqFigure } from './figure.js';

export interface ReportOptions {
  readonly figures: readonly BullmqFigure[];
  readonly small: boolean;
  readonly help: boolean;
}

export const USAGE = `npm run report:bullmq -- [--only NAME]… [--small]

Starts the shipped service, a Redis and workers as processes of their own, kills workers of BullMQ with -9, and prints what
became of their jobs, each figure with its method. In all it takes about ten minutes.
  --only NAME   only this figure; may be repeated: default-kill, side-by-side, kills
  --small       leases, locks and stall checks divided by twenty, and ten kills: half a minute
JOBWARDEN_TEST_KILLS=N kills so many workers instead (200, or 10).
Exits with 1 when a count was missed, never because of a time.`;

/** Throws with what is wrong. */
export function readOptions(args: readonly string[], figures: readonly BullmqFigure[]): ReportOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true },
      small: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return { figures: chosen(figures, values.only), small: values.small, help: values.help };
}
