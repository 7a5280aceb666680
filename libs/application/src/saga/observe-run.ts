import { badRevision, looksFor, type QuarantineLook, type SagaSeen, type SagaStanding, type TargetFacts, type TargetLook, type WorkloadSeen } from '#libs/domain';
import type { OutcomeStore } from '../ports/outcome-store.port.js';
import type { RunQueue, RunStore } from '../ports/run-store.port.js';
import type { SignalDesk } from '../signals/signal-desk.js';
import type { CauseDesk, RevisionDesk, WorkerEvidence } from './collaborators.js';
import type { RunTarget } from './run-target.js';
import type { SaturatedIntake } from './saturated-intake.js';
import type { SchemasOfQueues } from './schemas-of-queues.js';

export interface ObserveRunParts {
  readonly runs: Pick<RunStore, 'queues' | 'tries'>;
  readonly signals: Pick<SignalDesk, 'standing'>;
  readonly causes: CauseDesk;
  readonly target: Pick<RunTarget, 'observe'>;
  readonly revisions: RevisionDesk;
  readonly evidence: Pick<WorkerEvidence, 'standing'>;
  readonly schemas: Pick<SchemasOfQueues, 'answers'>;
  readonly intake: Pick<SaturatedIntake, 'look'>;
  readonly outcomes: Pick<OutcomeStore, 'rates'>;
  /** The stop switch, and this replica's own. */
  readonly actionsOn: () => Promise<boolean>;
}

/** Before the first sign of it, so that what was is seen beside what is. */
const CAUSE_BEFORE_MS = 300_000;
/** A run that a person has opened is calm by its attempts: there is no signal that could end. */
const CALM_FOR_MS = 120_000;

/** One look at everything that the next move of a run may depend on, and at nothing else. */
export class ObserveRun {
  constructor(private readonly parts: ObserveRunParts) {}

  async look(incidentId: string, s: SagaStanding, queues: readonly RunQueue[], nowMs: number): Promise<SagaSeen> {
    const looks = looksFor(s);
    const { runs, evidence, intake, actionsOn } = this.parts;
    const saturated = queues.filter((queue) => queue.saturated);
    const bad = badRevision(s);
    // One after the other: a look must not take all connections of its pool.
    return {
      actionsOn: await actionsOn(),
      assessed: looks.cause && s.about.revision === null ? await this.parts.causes.assessed(saturated, s.openedMs - CAUSE_BEFORE_MS) : null,
      signalStands: looks.signal ? await this.signalStands(incidentId, s, saturated, nowMs) : null,
      target: looks.target && s.about.target !== null ? await this.targetLook(s.about.target, s, looks.databases, queues) : null,
      quarantine: looks.quarantine && bad !== null ? await this.quarantine(queues, bad) : null,
      evidence: looks.evidence ? await evidence.standing(incidentId) : null,
      intake: looks.intake ? await intake.look(incidentId) : null,
      sample: looks.sampleSinceMs === null ? null : await this.sample(saturated, bad, looks.sampleSinceMs, nowMs),
      tries: await runs.tries(incidentId, s.intent?.n ?? 0),
    };
  }

  private async signalStands(incidentId: string, { about }: SagaStanding, queues: readonly RunQueue[], nowMs: number): Promise<boolean> {
    if (about.source === 'signal') return (await this.parts.signals.standing(incidentId)).length > 0;
    const { succeeded, failed } = await this.sample(queues, null, nowMs - CALM_FOR_MS, nowMs);
    return succeeded === 0 || failed / (succeeded + failed) > CALM_BELOW;
  }

  private async targetLook(target: string, s: SagaStanding, asks: boolean, queues: readonly RunQueue[]): Promise<TargetLook> {
    const seen = await this.parts.target.observe(target);
    if ('fault' in seen) return seen;
    return { seen: seen.ok, facts: await this.facts(seen.ok, s, asks, queues) };
  }

  /** What is chosen from matters only until it is chosen. */
  private async facts({ schemaVersion, releases }: WorkloadSeen, s: SagaStanding, asks: boolean, queues: readonly RunQueue[]): Promise<TargetFacts> {
    if (s.rolledBackMs !== null) return { bad: [], healthy: [], schemaVersion };
    const { revisions, causes, schemas } = this.parts;
    const needs = asks && releases.some(({ schema }) => schema !== undefined);
    return { bad: await revisions.refused(queues), healthy: await causes.healthy(queues), schemaVersion, databases: needs ? await schemas.answers(queues) : [] };
  }

  private async quarantine(queues: readonly RunQueue[], revision: string): Promise<QuarantineLook> {
    return await this.parts.revisions.standing(queues, revision);
  }

  private async sample(queues: readonly RunQueue[], bad: string | null, sinceMs: number, nowMs: number): Promise<{ succeeded: number; failed: number }> {
    const sum = { succeeded: 0, failed: 0 };
    if (nowMs < sinceMs || queues.length === 0) return sum;
    for (const { revisions } of await this.parts.outcomes.rates({ sinceMs, untilMs: nowMs + 1, queues })) {
      for (const { revision, counts } of revisions) {
        if (revision === bad) continue;
        sum.succeeded += counts.succeeded;
        sum.failed += counts.failed + counts.lost;
      }
    }
    return sum;
  }
}

const CALM_BELOW = 0.1;
