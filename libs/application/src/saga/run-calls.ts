import { DRILL_MARK, isDrill, runOf, type IncidentStepDraft, type RunAbout, type SagaStanding } from '#libs/domain';
import { isOpen, type Incidents } from '../incidents/incidents.js';
import type { IncidentReads, StoredIncident } from '../ports/incident-store.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { RunQueueName, RunStore } from '../ports/run-store.port.js';
import type { QueuesOfRun } from './queues-of-run.js';
import { targetOf } from './run-policy-of.js';

export interface RunCallsParts {
  readonly incidents: Pick<Incidents, 'open' | 'openOnes' | 'advance'>;
  readonly reads: Pick<IncidentReads, 'one'>;
  readonly runs: Pick<RunStore, 'knownQueues'>;
  readonly queuesOf: QueuesOfRun;
  readonly policies: PolicySource;
  /** There is something to drive. Must not throw. */
  readonly opened: () => void;
}

export interface OpenByHand {
  /** One of the two. */
  readonly target: string | null;
  readonly queue: RunQueueName | null;
  /** To blame: it is isolated and rolled back without another question. null: the log is asked. */
  readonly revision: string | null;
  readonly reason: string;
  readonly by: string;
  /** The plan is told, and nothing is done. */
  readonly dryRun: boolean;
  /** Of the caller. */
  readonly namespaces: readonly string[] | 'all';
}

export type RunRefusal =
  | 'reason_required'
  | 'target_or_queue'
  | 'target_unknown'
  | 'queue_unknown'
  | 'incident_open'
  | 'incident_unknown'
  | 'incident_resolved'
  | 'not_a_run'
  | 'nothing_to_approve'
  | 'not_asked_any_more'
  | 'aborted_already';

export type RunOutcome =
  | { readonly kind: 'done'; readonly incident: StoredIncident }
  | { readonly kind: 'refused'; readonly code: RunRefusal; readonly detail: string; readonly incident: StoredIncident | null };

/**
 * What people say about runs. What a person asks for is no action of Jobwarden's own: no level holds it back. The stop switch
 * does: nothing is done until it is on again. A call that is repeated is refused, and says how things stand.
 */
export class RunCalls {
  constructor(private readonly parts: RunCallsParts) {}

  /** Refused where an incident is open for the same target, or for the same queue by hand. */
  async open(request: OpenByHand): Promise<RunOutcome> {
    const { incidents, queuesOf, reads } = this.parts;
    if (request.reason.trim() === '') return refused('reason_required', 'say why: it is kept');
    const found = await this.aboutOf(request);
    if ('code' in found) return found;
    const { about, queues, subject } = found;
    const standing = (await incidents.openOnes('saturation')).find((one) => one.subject === subject);
    if (standing !== undefined) return alreadyOpen(await reads.one(standing.id), subject);
    const { incident, opened } = await incidents.open('saturation', subject, { reason: about.drill === true ? `${DRILL_MARK}: ${request.reason.trim()}` : request.reason.trim(), by: request.by, evidence: { ...about } });
    if (!opened) return alreadyOpen(incident, subject);
    await queuesOf.join(incident.id, about.target, queues);
    this.parts.opened();
    return { kind: 'done', incident };
  }

  /**
   * Lets it go on: what waits for an approval, and what was escalated. `request`: the number of the step that asked, where
   * the approval is meant for that one alone.
   */
  async approve(id: string, told: { readonly reason: string; readonly by: string; readonly request?: number }): Promise<RunOutcome> {
    return await this.say(id, told, (standing) => {
      const asked = standing.approval?.n ?? standing.escalated?.n ?? null;
      if (asked === null) return refused('nothing_to_approve', 'nothing waits for an approval: `run.waitsFor` says what it waits for');
      if (told.request !== undefined && told.request !== asked) return refused('not_asked_any_more', 'what was to be approved was answered already, or is asked no more: read what is asked now');
      if (standing.unreadable !== null) return refused('nothing_to_approve', 'a step of it cannot be read, so there is nothing to go on by: resolve or abort it');
      const { plan, cause } = standing.cause ?? { plan: null, cause: 'unknown' };
      if (plan?.does === 'nothing' && cause !== 'unknown') {
        return refused('nothing_to_approve', 'there is no plan that could go on: resolve it, or open one that names the revision');
      }
      return { type: 'approved', by: told.by, reason: told.reason.trim(), evidence: { answers: asked } };
    });
  }

  /** Stops it: what was taken away is put back, and what stays as it is gets told with its last step. */
  async abort(id: string, told: { readonly reason: string; readonly by: string }): Promise<RunOutcome> {
    return await this.say(id, told, ({ aborted }) =>
      aborted === null ? { type: 'aborted', by: told.by, reason: told.reason.trim() } : refused('aborted_already', `${aborted.by} has aborted it already`),
    );
  }

  private async say(id: string, told: { readonly reason: string }, decide: (standing: SagaStanding) => IncidentStepDraft | Extract<RunOutcome, { kind: 'refused' }>): Promise<RunOutcome> {
    if (told.reason.trim() === '') return refused('reason_required', 'say why: it is kept');
    for (;;) {
      const incident = await this.parts.reads.one(id);
      if (incident === null) return refused('incident_unknown', 'There is no such incident.');
      if (!isOpen(incident)) return refused('incident_resolved', 'The incident is resolved already.', incident);
      const standing = incident.kind === 'saturation' ? runOf(incident.steps) : null;
      if (standing === null) return refused('not_a_run', 'only an incident of saturation has a run', incident);
      const step = decide(standing);
      if ('kind' in step) return { ...step, incident };
      const done = await this.parts.incidents.advance(id, standing.n, step);
      if (done === 'stale') continue;
      this.parts.opened();
      return { kind: 'done', incident: done };
    }
  }

  private async aboutOf(request: OpenByHand): Promise<{ about: RunAbout; queues: readonly RunQueueName[]; subject: string } | Extract<RunOutcome, { kind: 'refused' }>> {
    const { target: named, queue, revision, dryRun, namespaces } = request;
    if ((named === null) === (queue === null)) return refused('target_or_queue', 'name a target or a queue, one of the two');
    const visible = (one: RunQueueName): boolean => namespaces === 'all' || namespaces.includes(one.namespace);
    if (queue !== null && !(await this.parts.runs.knownQueues()).some((one) => one.namespace === queue.namespace && one.queue === queue.queue)) {
      return refused('queue_unknown', `No event has named the queue ${JSON.stringify(queue.queue)}.`);
    }
    const target = named ?? (queue === null ? null : targetOf(this.parts.policies, queue));
    const ofTarget = target === null ? [] : await this.parts.queuesOf.ofTarget(target);
    const queues = queue === null ? ofTarget : [queue];
    // A target of somebody else's is not there.
    if (queues.length === 0 || !ofTarget.every(visible)) return refused('target_unknown', `no queue's policy names the target ${JSON.stringify(target)}`);
    const subject = target ?? [queue?.namespace, 'by-hand', queue?.queue].join('/');
    const names = queues.map((one) => one.queue);
    const about: RunAbout = {
      ...{ target, namespace: queues[0]?.namespace ?? 'default', queues: names.slice(0, 20), queueCount: names.length },
      ...{ source: 'person', revision, dryRun },
      ...(queues.some(isDrill) && { dryRun: true, drill: true }),
    };
    return { about, queues, subject };
  }
}

function alreadyOpen(incident: StoredIncident | null, subject: string): RunOutcome {
  return refused('incident_open', `an incident is open for ${subject}: approve, abort or resolve that one`, incident);
}

function refused(code: RunRefusal, detail: string, incident: StoredIncident | null = null): Extract<RunOutcome, { kind: 'refused' }> {
  return { kind: 'refused', code, detail, incident };
}
