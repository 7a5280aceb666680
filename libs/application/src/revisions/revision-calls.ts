import type { RefusedRevision, RevisionReads, RevisionScope } from '../ports/refused-revision-store.port.js';
import { isHealthy, type RevisionRecord } from './revision-record.js';
import type { QuarantineStanding, RevisionQuarantine } from './revision-quarantine.js';

export interface RevisionCallsParts {
  readonly quarantine: Pick<RevisionQuarantine, 'set' | 'lift' | 'standing'>;
  readonly reads: Pick<RevisionReads, 'seen'>;
  /** What releases have done within the last day; null: in every queue. */
  readonly records: (namespace: string, queue: string | null) => Promise<readonly RevisionRecord[]>;
  /** Ids of open incidents whose runs keep it out. */
  readonly runsThatRefuse: (scope: RevisionScope) => Promise<readonly string[]>;
  readonly queueIsKnown: (namespace: string, queue: string) => Promise<boolean>;
}

export interface RevisionRequest extends RevisionScope {
  readonly reason: string;
  readonly by: string;
}

export type RevisionOutcome =
  | { readonly kind: 'done'; readonly refusal: RefusedRevision; readonly changed: boolean; readonly standing: QuarantineStanding }
  /** `incidentIds`: of `incident_open`. */
  | { readonly kind: 'refused'; readonly code: RevisionRefusal; readonly detail: string; readonly incidentIds?: readonly string[] };

export type RevisionRefusal = 'reason_required' | 'queue_unknown' | 'revision_unknown' | 'last_revision' | 'only_healthy_revision' | 'not_refused' | 'incident_open';

/** What a person says about a release: the checks that a program which knows the case need not make. */
export class RevisionCalls {
  constructor(private readonly parts: RevisionCallsParts) {}

  /** Idempotent. `force`: also what nobody has seen, what leaves a queue without any worker, and the only one that is known to do well. */
  async refuse({ force, ...request }: RevisionRequest & { readonly force: boolean }): Promise<RevisionOutcome> {
    const refusal = await this.refusalOf(request, force);
    if (refusal !== null) return refusal;
    const { quarantine } = this.parts;
    const done = await quarantine.set({ ...request, reason: request.reason.trim() });
    return { kind: 'done', ...done, standing: await quarantine.standing(request) };
  }

  /** Refused while a run that keeps it out is open, whoever refused it first: each of two incidents relies on the same refusal. */
  async readmit(request: RevisionRequest): Promise<RevisionOutcome> {
    const reason = request.reason.trim();
    if (reason === '') return REASON_REQUIRED;
    const { quarantine } = this.parts;
    const incidentIds = await this.parts.runsThatRefuse(request);
    if (incidentIds.length > 0) {
      const detail = `what the incidents ${incidentIds.join(', ')} do stands on it: abort or resolve them first`;
      return { kind: 'refused', code: 'incident_open', detail, incidentIds };
    }
    const lifted = await quarantine.lift({ ...request, reason });
    if (lifted === null) return { kind: 'refused', code: 'not_refused', detail: `nothing stands against ${named(request)}: \`GET /v1/revisions\` shows what does` };
    return { kind: 'done', refusal: lifted, changed: true, standing: await quarantine.standing(request) };
  }

  private async refusalOf(request: RevisionRequest, force: boolean): Promise<Extract<RevisionOutcome, { kind: 'refused' }> | null> {
    const { namespace, queue, revision } = request;
    if (request.reason.trim() === '') return REASON_REQUIRED;
    if (queue !== null && !(await this.parts.queueIsKnown(namespace, queue))) {
      return { kind: 'refused', code: 'queue_unknown', detail: `No event has named the queue ${JSON.stringify(queue)}.` };
    }
    if (force) return null;
    const seen = (await this.parts.reads.seen(namespace, null)).filter((row) => queue === null || row.queue === null || row.queue === queue);
    const records = await this.parts.records(namespace, queue);
    if (![...seen, ...records].some((row) => row.revision === revision)) {
      return { kind: 'refused', code: 'revision_unknown', detail: `no worker names the revision ${JSON.stringify(revision)}; \`force\` refuses it before it comes` };
    }
    const alive = seen.filter((row) => row.workers > 0);
    if (alive.length > 0 && alive.every((row) => row.revision === revision)) {
      return { kind: 'refused', code: 'last_revision', detail: `every worker that is alive runs ${JSON.stringify(revision)}: without it nothing is begun any more; \`force\` refuses it all the same` };
    }
    const others = new Set(records.map((record) => record.revision).filter((other) => other !== revision));
    if (isHealthy(records, revision) && ![...others].some((other) => isHealthy(records, other))) {
      return { kind: 'refused', code: 'only_healthy_revision', detail: `${JSON.stringify(revision)} is the only one whose jobs have ended well within the last day; \`force\` refuses it all the same` };
    }
    return null;
  }
}

const REASON_REQUIRED = { kind: 'refused', code: 'reason_required', detail: 'say why: it is kept' } as const;

function named({ queue, revision }: RevisionScope): string {
  return `the revision ${JSON.stringify(revision)} of ${queue === null ? 'all queues' : `the queue ${JSON.stringify(queue)}`}`;
}
