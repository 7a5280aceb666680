import { afterAct, nextMove, runOf, TRIES, type IncidentStepDraft, type RunPolicy, type SagaMove, type SagaStanding } from '#libs/domain';
import { isOpen, type Incidents } from '../incidents/incidents.js';
import type { Failpoint } from '../ports/failpoint.port.js';
import type { IncidentReads } from '../ports/incident-store.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { RunQueue, RunStore } from '../ports/run-store.port.js';
import type { Traces } from '../ports/traces.port.js';
import { tellStep } from '../traces/told-step.js';
import { callsOf, type CarryOut, type RunOf } from './carry-out.js';
import type { ObserveRun } from './observe-run.js';
import { runPolicyOf } from './run-policy-of.js';
import type { QueuesOfRun } from './queues-of-run.js';

export interface DriveRunParts {
  readonly runs: Pick<RunStore, 'nowMs' | 'queues' | 'begin' | 'letGo'>;
  readonly reads: Pick<IncidentReads, 'one'>;
  readonly incidents: Pick<Incidents, 'advance'>;
  readonly policies: PolicySource;
  /** Brings in the levels that people have set by now. */
  readonly refreshLevels: () => Promise<void>;
  readonly queuesOf: QueuesOfRun;
  readonly observe: Pick<ObserveRun, 'look'>;
  readonly carryOut: Pick<CarryOut, 'do'>;
  readonly failpoint: Failpoint;
  /** Default: nobody collects spans. */
  readonly traces?: Traces | undefined;
}

/** How a run stands after it was driven: its last step, and until when there is nothing to do, lane time ms. */
export interface Driven {
  readonly n: number;
  /** 0: there is more to do at once; Infinity: nothing until a person says something. */
  readonly untilMs: number;
}

/** Moves in one go: a run that finds more to do than this goes on with the next look. */
const MOVES = 12;
const AGAIN_MS = 1_000;

/**
 * Drives one run, for whoever holds its lock: look, decide, one move, and look anew.
 *
 * A step is appended only behind the one that was seen, and an act is begun only while that is the last one, so of two that
 * drive the same run, as when the lock was lost and nobody noticed, one of them stops. What is done for it looks at that last step
 * again where it is written, since whoever began it may be halted before he does it. A kill leaves at most an act that
 * was not told of: it is announced and counted, so it is looked at, and done again where it does not stand.
 */
export class DriveRun {
  constructor(private readonly parts: DriveRunParts) {}

  async drive(incidentId: string): Promise<Driven> {
    let driven: Driven = { n: 0, untilMs: 0 };
    for (let moves = 0; moves < MOVES; moves += 1) {
      const next = await this.move(incidentId);
      if (next === null) continue;
      driven = next;
      break;
    }
    return driven;
  }

  /** null: something was done. */
  private async move(incidentId: string): Promise<Driven | null> {
    const { reads, runs, policies, observe, queuesOf, traces } = this.parts;
    const since = traces?.now() ?? 0;
    const incident = await reads.one(incidentId);
    const standing = incident === null ? null : runOf(incident.steps);
    if (incident === null || standing === null) return { n: 0, untilMs: Infinity };
    const { n } = standing;
    const nowMs = await runs.nowMs();
    const queues = await runs.queues(incidentId);
    if (!isOpen(incident)) {
      await this.letGo(incidentId, standing, queues);
      return { n, untilMs: Infinity };
    }
    const policy = runPolicyOf(policies, queues);
    if (policy === null) {
      await queuesOf.joinAgain(incidentId, standing.about);
      return { n, untilMs: nowMs + AGAIN_MS };
    }
    const seen = await observe.look(incidentId, standing, queues, nowMs);
    const move = nextMove(standing, seen, policy, nowMs);
    const run: Moving = { incidentId, standing, queues, seen, since };
    const untilMs = await this.make(move, run, policy);
    return untilMs === null ? null : { n, untilMs };
  }

  private async make(move: SagaMove, run: Moving, policy: RunPolicy): Promise<number | null> {
    switch (move.kind) {
      case 'rest':
        return Infinity;
      case 'wait':
        return move.untilMs;
      case 'record':
        return await this.record(run, move.step);
      case 'act':
        return await this.act(move, run, policy);
    }
  }

  private async record(run: Moving, step: IncidentStepDraft): Promise<number | null> {
    const { incidents, traces } = this.parts;
    if ((await incidents.advance(run.incidentId, run.standing.n, step)) === 'stale') return 0;
    if (traces !== undefined) tellStep(traces, run, step, run.since);
    await this.parts.failpoint('saga/step');
    return null;
  }

  private async act({ act, n }: Extract<SagaMove, { kind: 'act' }>, run: Moving, policy: RunPolicy): Promise<number | null> {
    const { runs, carryOut, failpoint } = this.parts;
    const { incidentId, standing } = run;
    if (!(await this.isStillAt(policy.levels, run.queues))) return 0;
    const bounds = { tries: TRIES, callsPerMinute: policy.writesPerMinute, afterN: standing.n };
    if (!(await runs.begin({ incidentId, n, act: act.does, calls: callsOf(act) }, bounds))) return (await runs.nowMs()) + AGAIN_MS;
    const outcome = await carryOut.do(act, run);
    await failpoint('saga/acted');
    const told = afterAct(standing, act, outcome, await runs.nowMs());
    return told === null ? null : await this.record(run, told);
  }

  /** A look takes as long as a cluster and a log take to answer, and longer where it is halted: a person may have taken a level back since. */
  private async isStillAt({ throttle, rollback, deadLetter }: RunPolicy['levels'], queues: readonly RunQueue[]): Promise<boolean> {
    await this.parts.refreshLevels();
    const now = runPolicyOf(this.parts.policies, queues)?.levels;
    return now?.throttle === throttle && now.rollback === rollback && now.deadLetter === deadLetter;
  }

  /** It is over, as a person has said perhaps, and still holds queues back: the throttle goes, or is the queues' own from now on. */
  private async letGo(incidentId: string, standing: SagaStanding, queues: readonly RunQueue[]): Promise<void> {
    const held = queues.filter((queue) => queue.sharePercent !== null);
    if (held.length === 0) return;
    if (standing.keepsThrottle) {
      for (const queue of held) await this.parts.runs.letGo({ incidentId, n: standing.n }, queue);
    } else {
      await this.parts.carryOut.do({ does: 'lift' }, { incidentId, standing, queues, seen: NOTHING_SEEN });
    }
  }
}

interface Moving extends RunOf {
  /** When the look began, for its span. */
  readonly since: number;
}

const NOTHING_SEEN: RunOf['seen'] = {
  ...{ actionsOn: true, assessed: null, signalStands: null, target: null, quarantine: null, evidence: null, intake: null, sample: null },
  tries: { count: 0, lastMs: null, writes: 0, oldestWriteMs: null },
};
