import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Shipped } from '../../e2e/cases/shipped.js';
import { runCommand } from '../../figures/command.js';
import { tellAll } from '../../figures/report.js';
import { kubeconfigText, startControlPlane } from '../../kubernetes/plane/control-plane.js';
import { kubernetesMissing } from '../../kubernetes/plane/missing.js';
import { DatabaseServer } from '../../trust/stage/database-server.js';
import type { RollbackFigure } from './figure.js';
import { recovered } from './figures/recovered.js';
import { reverted } from './figures/reverted.js';
import { script } from './figures/script.js';
import { readOptions, USAGE, type RollbackReportOptions } from './options.js';
import { policyOf } from './policy.js';

const FIGURES: readonly RollbackFigure[] = [
  recovered({ name: 'saga', title: 'A release that fails every job: isolated, rolled back on a real control plane, readmitted', partly: false }),
  recovered({ name: 'quarantine', title: 'The same with revision quarantine alone: three pods of four are bad, and Jobwarden has no right in the cluster at all', partly: true }),
  reverted,
  script,
];

/** One service, one database and one control plane for all figures; each run has a queue and a namespace of its own. */
async function main({ figures, runs, lanes, atOnce }: RollbackReportOptions): Promise<number> {
  const missing = kubernetesMissing();
  if (missing !== null) {
    console.error(missing);
    return process.env['CI'] === 'true' ? 1 : 0;
  }
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-rollback-'));
  const plane = await startControlPlane((line) => console.error(line));
  const database = await DatabaseServer.start(join(folder, 'data'));
  try {
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigText({ server: plane.server, ca: plane.ca, token: plane.adminToken }), { mode: 0o600 });
    const queues = figures.flatMap(({ name }) => Array.from({ length: runs }, (_, i) => queueOf(name, `${name}-${String(i + 1)}`)));
    const service = await Shipped.start({ databaseUrl: database.url, policy: policyOf(queues), env: { JOBWARDEN_KUBECONFIG: kubeconfig } });
    try {
      return await tellAll(figures, (progress) => ({ runs, lanes, service, plane, progress }), { atOnce: atOnce ? figures.length : 1 });
    } finally {
      await service.end();
    }
  } finally {
    await database.stop();
    await plane.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function queueOf(figure: string, name: string) {
  return { name, target: figure === 'quarantine' || figure === 'script' ? null : `${name}/workers`, acts: figure !== 'script' };
}

process.exit(await runCommand({ usage: USAGE, read: (args) => readOptions(args, FIGURES), run: main }));
