import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../figures/command.js';
import { tellAll } from '../../figures/report.js';
import { kubernetesMissing } from '../../kubernetes/plane/missing.js';
import type { RollbackFigure, Rollbacks } from './figure.js';
import { recovered } from './figures/recovered.js';
import { reverted } from './figures/reverted.js';
import { script } from './figures/script.js';
import { readOptions, USAGE, type RollbackReportOptions } from './options.js';
import { Services } from './services.js';

const FIGURES: readonly RollbackFigure[] = [
  recovered({ name: 'saga', title: 'A release that fails every job: isolated, rolled back on a real control plane, readmitted', partly: false }),
  recovered({ name: 'quarantine', title: 'The same with revision quarantine alone: three pods of four are bad, and Jobwarden has no right in the cluster at all', partly: true }),
  reverted,
  script,
];

async function main({ figures, runs, lanes, atOnce }: RollbackReportOptions): Promise<number> {
  const missing = kubernetesMissing();
  if (missing !== null) {
    console.error(missing);
    return process.env['CI'] === 'true' ? 1 : 0;
  }
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-rollback-'));
  try {
    const services = await Services.start(folder, figures, runs);
    try {
      const contextOf = (progress: Rollbacks['progress'], figure: RollbackFigure): Rollbacks => ({ ...services.of(figure.rights), plane: services.plane, runs, lanes, progress });
      return await tellAll(figures, contextOf, { atOnce: atOnce ? figures.length : 1 });
    } finally {
      await services.end();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exit(await runCommand({ usage: USAGE, read: (args) => readOptions(args, FIGURES), run: main }));
