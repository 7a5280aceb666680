import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runCommand } from '../../../figures/command.js';
import { tellAll } from '../../../figures/report.js';
import { DatabaseServer } from '../../../trust/stage/database-server.js';
import { KillStage } from '../kill-stage.js';
import { boundsOf } from './bounds.js';
import type { BullmqFigure } from './figure.js';
import { defaultKill } from './figures/default-kill.js';
import { kills } from './figures/kills.js';
import { sideBySide } from './figures/side-by-side.js';
import { readOptions, USAGE, type ReportOptions } from './options.js';
import { policyOf } from './policy.js';

const FIGURES: readonly BullmqFigure[] = [defaultKill, sideBySide, kills];

/** One service and one Redis for all figures; each has queues of its own. */
async function main({ figures, small }: ReportOptions): Promise<number> {
  const bounds = boundsOf(small);
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-bullmq-'));
  const database = await DatabaseServer.start(join(folder, 'data'));
  try {
    const { leaseMs } = bounds;
    const stage = await KillStage.start(database.url, { policy: policyOf(bounds), leaseMs, withinMs: 4 * leaseMs + 60_000 });
    try {
      return await tellAll(figures, (progress) => ({ bounds, stage, progress }));
    } finally {
      // What a figure that broke off has left may wait for what is gone.
      await Promise.race([stage.clear(), delay(10_000)]);
      await stage.end();
    }
  } finally {
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exit(await runCommand({ usage: USAGE, read: (args) => readOptions(args, FIGURES), run: main }));
