import type { Count, Findings } from '../../../figures/report.js';
import { atMs, runText, stepOf, untilIncident, type Incident } from '../../stage/incident.js';
import { GOOD, imageOf } from '../../stage/pool.js';
import type { Run } from '../../stage/run.js';
import { inTurns, REPLICAS, spread, type RollbackFigure, type Rollbacks } from '../figure.js';
import { METHOD } from '../policy.js';

interface Recovered {
  readonly incident: Incident;
  readonly isolatedMs: number | null;
  readonly restoredMs: number | null;
  /** Handlers of the bad release that began a second and more after it was isolated. */
  readonly begunLate: number;
  readonly deadLettered: number;
  readonly wished: { readonly replicas: number; readonly image: string };
  readonly healthy: number;
}

/** A run that ends by itself: `partly`: the rollout stands still before the last pod. */
export function recovered(options: { readonly name: string; readonly title: string; readonly partly: boolean }): RollbackFigure {
  return {
    name: options.name,
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
      incident: done,
      isolatedMs: since('isolated'),
      restoredMs: done.status === 'resolved' ? since('resolved') : null,
      begunLate: isolated === null ? Number.NaN : run.begunByBad(atMs(isolated) + 1_000),
      deadLettered: (await run.counts()).deadLettered,
      wished: await run.pool.wished(),
      healthy: await run.healthy(),
    };
}

function findings(runs: readonly Recovered[], wanted: number, partly: boolean): Findings {
  const numbers = (pick: (run: Recovered) => number | null) => runs.flatMap((run) => pick(run) ?? []);
  const whole = runs.filter(({ wished, healthy }) => wished.replicas === REPLICAS && wished.image === imageOf(GOOD) && healthy === REPLICAS).length;
  const counts: Count[] = [
    { of: 'runs that were isolated and came back to full intake', found: numbers((run) => run.restoredMs).length, wanted: { exactly: wanted } },
    { of: 'handlers of the bad release begun later than a second after isolation', found: runs.reduce((sum, run) => sum + run.begunLate, 0), wanted: { exactly: 0 } },
    { of: 'runs that wrote more than once to the cluster', found: runs.filter((run) => writesOf(run.incident) > 1).length, wanted: { exactly: 0 } },
  ];
  if (partly) counts.push({ of: 'pools with one pod of the good release and no write of Jobwarden at the end', found: runs.filter(({ wished, healthy }) => wished.replicas === REPLICAS && wished.image !== imageOf(GOOD) && healthy === 1).length, wanted: { exactly: wanted } });
  if (!partly) counts.push({ of: `pools with all ${String(REPLICAS)} replicas of the good release at the end`, found: whole, wanted: { exactly: wanted } });
  return {
    method: partly ? [...METHOD, 'the rollout stands still: three pods of four at once, none of which counts as available for ten minutes'] : METHOD,
    lines: [
      spread('first failing job to isolated', numbers((run) => run.isolatedMs)),
      spread('first failing job to full intake', numbers((run) => run.restoredMs)),
      `jobs that became dead letters meanwhile, by run: ${runs.map((run) => String(run.deadLettered)).join(', ')}`,
    ],
    counts,
  };
}

function writesOf(incident: Incident): number {
  return incident.steps.filter((step) => step.type === 'rolled-back').length;
}
