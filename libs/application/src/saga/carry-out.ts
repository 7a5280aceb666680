import { CALLS_OF_A_WRITE, type ActOutcome, type SagaAct, type SagaSeen, type SagaStanding } from '#libs/domain';
import type { RunQueue, RunStore } from '../ports/run-store.port.js';
import type { RevisionDesk, WorkerEvidence } from './collaborators.js';
import { jobNamed, type PoisonJob } from './poison-job.js';
import type { RunTarget } from './run-target.js';
import type { SaturatedIntake } from './saturated-intake.js';

export interface CarryOutParts {
  readonly runs: Pick<RunStore, 'mayAct'>;
  readonly target: Pick<RunTarget, 'apply'>;
  readonly revisions: Pick<RevisionDesk, 'refuse'>;
  readonly evidence: Pick<WorkerEvidence, 'ask'>;
  readonly intake: Pick<SaturatedIntake, 'setShare' | 'lift'>;
  readonly poison: Pick<PoisonJob, 'deadLetter'>;
}

export interface RunOf {
  readonly incidentId: string;
  readonly standing: SagaStanding;
  readonly queues: readonly RunQueue[];
  readonly seen: SagaSeen;
}

/** Calls that an act writes to the cluster with, at most. */
export function callsOf(act: SagaAct): number {
  return act.does === 'write' ? CALLS_OF_A_WRITE : 0;
}

/** Does one act of a run. All of them may be repeated, and none of them does anything any more once the run has gone on. */
export class CarryOut {
  constructor(private readonly parts: CarryOutParts) {}

  async do(act: SagaAct, run: RunOf): Promise<ActOutcome> {
    const { intake, revisions, evidence } = this.parts;
    const { incidentId, queues, standing } = run;
    const at = { incidentId, n: standing.n };
    switch (act.does) {
      case 'set-share':
        return done(await intake.setShare(at, act.percent, standing.openedMs));
      case 'lift':
        return done(await intake.lift(at));
      case 'quarantine':
        await revisions.refuse(at, queues, act.revision, `incident ${incidentId}`);
        return done({});
      case 'capture-evidence':
        await evidence.ask(incidentId, queues, act.revision);
        return done({});
      case 'dead-letter':
        return await this.deadLetter(act.job, run);
      case 'write':
        return await this.write(act, run);
    }
  }

  private async deadLetter(subject: string, { queues, incidentId, standing }: RunOf): Promise<ActOutcome> {
    const ref = jobNamed(subject, queues);
    if (ref === null) return refused(`${subject} is in none of the run's queues`);
    const outcome = await this.parts.poison.deadLetter(ref, incidentId, standing.openedMs);
    return outcome === 'unknown' ? refused(`there is no job ${subject}`) : done({ outcome });
  }

  private async write(act: Extract<SagaAct, { does: 'write' }>, { incidentId, standing, seen }: RunOf): Promise<ActOutcome> {
    const { target } = standing.about;
    if (target === null || seen.target === null || 'fault' in seen.target) return refused('the target was not looked at');
    const mayWrite = async () => await this.parts.runs.mayAct({ incidentId, n: standing.n });
    const applied = await this.parts.target.apply(target, act.wanted, seen.target.seen, { mostWrites: callsOf(act), mayWrite });
    if ('fault' in applied) return { fault: applied.fault };
    const { changed, generation, version, writes } = applied.ok;
    return { done: { changed, generation, figures: { version, writes } } };
  }
}

function done(figures: Readonly<Record<string, unknown>>): ActOutcome {
  return { done: { changed: true, figures } };
}

function refused(detail: string): ActOutcome {
  return { fault: { code: 'refused', detail, retryAfterMs: null } };
}
