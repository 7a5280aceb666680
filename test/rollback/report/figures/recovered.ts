import type { Count, Findings } from '../../../figures/report.js';
import { wrote, type AuditedCall } from '../../../kubernetes/plane/audit.js';
import { atMs, runText, stepOf, untilIncident } from '../../stage/incident.js';
import { GOOD, imageOf, type Wish } from '../../stage/pool.js';
import type { Run } from '../../stage/run.js';
import { inTurns, REPLICAS, spread, type RollbackFigure, type Rollbacks } from '../figure.js';
import { METHOD, RIGHTS } from '../policy.js';

interface Recovered {
  readonly isolatedMs: number | null;
  readonly restoredMs: number | null;
  /** Handlers of the bad release that began a second and more after it was isolated. */
  readonly begunLate: number;
  readonly deadLettered: number;
  readonly wished: Wish;
  /** Calls to the cluster by the service, as the API server has recorded them. */
  readonly calls: readonly AuditedCall[];
  readonly healthy: number;
}

/** The pipeline's own: the good release, and the bad one. */
const RELEASES = 2;

/** A run that ends by itself. `partly`: the rollout stands still before the last pod, and Jobwarden knows of no cluster. */
export function recovered(options: { readonly name: string; readonly title: string; readonly partly: boolean }): RollbackFigure {
  return {
    name: options.name,
    rights: options.partly ? 'none' : 'shipped',
    title: options.title,
    async run(context) {
      const runs = await inTurns(context, options.name, (run) => oneRun(context, run, options.partly));
      return findings(runs, context.runs, options.partly);
    },
  };
}

async function oneRun({ service, progress }: Rollbacks, run: Run, partly: boolean): Promise<Recovered> {
  const { name } = run.parts;
  await (partly ? run.releaseBadButOne() : run.releaseBad());
  const failedMs = await run.firstFailureMs();
  const done = await untilIncident(service, name, (incident) => stepOf(incident, 'escalated') !== null || incident.status === 'resolved');
  progress(`${name}: ${runText(done)}`);
  const since = (type: string): number | null => {
    const step = stepOf(done, type);
    return step === null ? null : atMs(step) - failedMs;
  };
  const isolated = stepOf(done, 'isolated');
  return {
    isolatedMs: since('isolated'),
    restoredMs: done.status === 'resolved' ? since('resolved') : null,
    begunLate: isolated === null ? Number.NaN : run.begunByBad(atMs(isolated) + 1_000),
    deadLettered: (await run.counts()).deadLettered,
    wished: await run.pool.wished(),
    calls: run.audited(),
    healthy: await run.healthy(),
  };
}

function findings(runs: readonly Recovered[], wanted: number, partly: boolean): Findings {
  const numbers = (pick: (run: Recovered) => number | null) => runs.flatMap((run) => pick(run) ?? []);
  const counts: Count[] = [
    { of: 'runs that were isolated and came back to full intake', found: numbers((run) => run.restoredMs).length, wanted: { exactly: wanted } },
    { of: 'handlers of the bad release begun later than a second after isolation', found: runs.reduce((sum, run) => sum + run.begunLate, 0), wanted: { exactly: 0 } },
    ...(partly ? countsOfUntouched(runs, wanted) : countsOfWritten(runs, wanted)),
  ];
  return {
    method: partly ? [...METHOD, 'the service has no kubeconfig, and a database of its own', 'the rollout stands still: three pods of four at once, none of which counts as available for ten minutes'] : [...METHOD, RIGHTS],
    lines: [
      spread('first failing job to isolated', numbers((run) => run.isolatedMs)),
      spread('first failing job to full intake', numbers((run) => run.restoredMs)),
      `jobs that became dead letters meanwhile, by run: ${runs.map((run) => String(run.deadLettered)).join(', ')}`,
    ],
    counts,
  };
}

/** By the API server: the incident says what Jobwarden takes itself to have done. */
function countsOfWritten(runs: readonly Recovered[], wanted: number): readonly Count[] {
  const whole = ({ wished, healthy }: Recovered) => wished.replicas === REPLICAS && wished.image === imageOf(GOOD) && healthy === REPLICAS;
  const once = ({ calls, wished }: Recovered) => wrote(calls).length === 1 && wished.generation === RELEASES + 1;
  return [
    { of: `pools with all ${String(REPLICAS)} replicas of the good release at the end`, found: runs.filter(whole).length, wanted: { exactly: wanted } },
    { of: 'runs that wrote just once to the cluster, by the audit log and the generation of the API server', found: runs.filter(once).length, wanted: { exactly: wanted } },
    { of: 'calls for which deploy/kubernetes/rbac.yaml gave no right', found: runs.reduce((sum, { calls }) => sum + refused(calls), 0), wanted: { exactly: 0 } },
  ];
}

function countsOfUntouched(runs: readonly Recovered[], wanted: number): readonly Count[] {
  const untouched = ({ wished, healthy }: Recovered) => wished.generation === RELEASES && wished.replicas === REPLICAS && wished.image !== imageOf(GOOD) && healthy === 1;
  return [{ of: 'pools that nobody but the pipeline has written to, with one pod of the good release at the end', found: runs.filter(untouched).length, wanted: { exactly: wanted } }];
}

const refused = (calls: readonly AuditedCall[]): number => calls.filter(({ code }) => code === 401 || code === 403).length;
