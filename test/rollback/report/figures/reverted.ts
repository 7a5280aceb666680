import { setTimeout as delay } from 'node:timers/promises';
import { mostInAMinute, writesIn, wrote } from '../../../kubernetes/plane/audit.js';
import { atMs, runText, stepOf, untilIncident } from '../../stage/incident.js';
import { badOf } from '../../stage/pool.js';
import type { Run } from '../../stage/run.js';
import { inTurns, spread, type RollbackFigure, type Rollbacks } from '../figure.js';
import { METHOD, RIGHTS } from '../policy.js';

const MANAGER = 'argocd-controller';
const REVERTS_EVERY_MS = 1_000;
const WATCHED_MS = 10_000;
/** The policy's default. */
const WRITES_PER_MINUTE = 6;

interface Reverted {
  readonly isolatedMs: number;
  readonly escalatedMs: number;
  readonly namesManager: boolean;
  /** Calls to the cluster that wrote, as the API server has recorded them, and those that were to. */
  readonly wrote: number;
  readonly triedInAMinute: number;
  readonly begunLate: number;
}

export const reverted: RollbackFigure = {
  name: 'reverted',
  rights: 'shipped',
  title: 'The same, while a field manager puts the bad release back each second: the pool stays isolated',
  async run(context) {
    const runs = await inTurns(context, 'reverted', (run) => oneRun(context, run));
    const sum = (pick: (run: Reverted) => number) => runs.reduce((total, run) => total + pick(run), 0);
    return {
      method: [...METHOD, RIGHTS, `${MANAGER} applies the bad release each second, by force; after the escalation the pool is watched for ${String(WATCHED_MS / 1_000)} s more`],
      lines: [
        spread('first failing job to isolated', runs.map((run) => run.isolatedMs)),
        spread('first failing job to a person being called', runs.map((run) => run.escalatedMs)),
        'full intake: not before that person has stopped the other writer',
      ],
      counts: [
        { of: 'runs that ended with the field manager named', found: sum((run) => Number(run.namesManager)), wanted: { exactly: context.runs } },
        { of: 'runs that wrote to the cluster at all, by the audit log of the API server', found: sum((run) => Number(run.wrote > 0)), wanted: { exactly: context.runs } },
        { of: 'the most writes of one run', found: Math.max(...runs.map((run) => run.wrote)), wanted: { atMost: 2 } },
        { of: 'the most calls of one run that write, within a minute, those that were refused included', found: Math.max(...runs.map((run) => run.triedInAMinute)), wanted: { atMost: WRITES_PER_MINUTE } },
        { of: 'handlers of the bad release begun later than a second after isolation', found: sum((run) => run.begunLate), wanted: { exactly: 0 } },
      ],
    };
  },
};

async function oneRun({ service, progress }: Rollbacks, run: Run): Promise<Reverted> {
  const { name } = run.parts;
  const ending = new AbortController();
  const applies = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await run.pool.apply(badOf(name), MANAGER).catch(() => undefined);
      await delay(REVERTS_EVERY_MS);
    }
  };
  const applying = applies();
  try {
    const failedMs = await run.firstFailureMs();
    const done = await untilIncident(service, name, (incident) => stepOf(incident, 'escalated') !== null);
    progress(`${name}: ${runText(done)}`);
    const [isolated, escalated] = [stepOf(done, 'isolated'), stepOf(done, 'escalated')];
    if (isolated === null || escalated === null) throw new Error(`${name} was not isolated: ${runText(done)}`);
    await delay(WATCHED_MS);
    const calls = run.audited();
    return {
      isolatedMs: atMs(isolated) - failedMs,
      escalatedMs: atMs(escalated) - failedMs,
      namesManager: escalated.reason.includes(MANAGER),
      wrote: wrote(calls).length,
      triedInAMinute: mostInAMinute(writesIn(calls)),
      begunLate: run.begunByBad(atMs(isolated) + 1_000),
    };
  } finally {
    ending.abort();
    await applying;
  }
}
