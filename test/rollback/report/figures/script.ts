import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '#libs/testing';
import { kubeconfigText } from '../../../kubernetes/plane/control-plane.js';
import { atMs, stepOf, untilIncident } from '../../stage/incident.js';
import type { Run } from '../../stage/run.js';
import { inTurns, spread, type RollbackFigure, type Rollbacks } from '../figure.js';
import { METHOD } from '../policy.js';

/** What teams have in their runbooks. Its exit code is 0 where each command says that all went well. */
const SCRIPT = `set -eu
kubectl -n "$NS" scale deployment workers --replicas=0
kubectl -n "$NS" rollout undo deployment workers
kubectl -n "$NS" rollout status deployment workers --timeout=120s
echo "available: $(kubectl -n "$NS" get deployment workers -o 'jsonpath={.status.availableReplicas}')"
`;
const WATCHED_MS = 15_000;

interface Scripted {
  readonly code: number;
  readonly said: string;
  /** From the first failing job to no pod that works. */
  readonly stoppedMs: number;
  readonly succeededAfter: number;
  readonly healthy: number;
  readonly deadLettered: number;
}

export const script: RollbackFigure = {
  name: 'script',
  rights: 'none',
  title: 'The shell script that teams use, begun in the same moment in which Jobwarden opens its incident',
  async run(context) {
    const runs = await inTurns(context, 'script', (run) => oneRun(context, run));
    return {
      method: [...METHOD.slice(0, 3), 'scale to 0, rollout undo, rollout status --timeout=120s, look at availableReplicas; then the pool is watched for 15 s more'],
      lines: [
        spread('first failing job to no worker at all', runs.map((run) => run.stoppedMs)),
        'first failing job to full intake: never, until somebody looks and scales up',
        `it said at last: ${[...new Set(runs.map((run) => run.said))].join(' | ')}`,
        `jobs that became dead letters meanwhile, by run: ${runs.map((run) => String(run.deadLettered)).join(', ')}`,
      ],
      counts: [
        { of: 'runs in which the script reports success', found: runs.filter((run) => run.code === 0).length, wanted: { exactly: context.runs } },
        { of: 'workers that are left after it', found: runs.reduce((sum, run) => sum + run.healthy, 0), wanted: { exactly: 0 } },
        { of: 'jobs done in the 15 s after it', found: runs.reduce((sum, run) => sum + run.succeededAfter, 0), wanted: { exactly: 0 } },
      ],
    };
  },
};

async function oneRun({ service, plane }: Rollbacks, run: Run): Promise<Scripted> {
  const { name } = run.parts;
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-script-'));
  try {
    await run.releaseBad();
    const failedMs = await run.firstFailureMs();
    const opened = stepOf(await untilIncident(service, name, (incident) => incident.steps.length > 0), 'opened');
    const begun = Date.now();
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigText({ server: plane.server, ca: plane.ca, token: plane.adminToken }));
    const { code, said } = await shell(SCRIPT.replaceAll('kubectl', plane.kubectl), { KUBECONFIG: kubeconfig, NS: name, HOME: folder });
    await waitUntil('no worker is left', async () => (await run.pool.ready()).size === 0, { withinMs: 30_000 });
    const stoppedMs = (opened === null ? begun : atMs(opened)) + (Date.now() - begun) - failedMs;
    const before = await run.counts();
    await delay(WATCHED_MS);
    const after = await run.counts();
    return { code, said, stoppedMs, succeededAfter: after.succeeded - before.succeeded, healthy: await run.healthy(), deadLettered: after.deadLettered };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function shell(text: string, env: Readonly<Record<string, string>>): Promise<{ code: number; said: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: number; said: string }>();
  execFile('sh', ['-c', text], { env: { PATH: process.env['PATH'] ?? '', ...env } }, (error, stdout, stderr) => {
    const last = `${stdout}${stderr}`.trim().split('\n').at(-1) ?? '';
    resolve({ code: error === null ? 0 : Number(error.code ?? 1), said: last });
  });
  return await promise;
}
