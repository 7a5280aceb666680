import { jobKeyHex, type Body, type BodyChange, type ParseContext } from '#libs/contracts';
import { payloadOf, stateFromJson, viewOf, type DecisionKind, type JobRef } from '#libs/domain';
import { JobChange } from '../log/job-change.js';
import { LANE_INSIDE, type LockedBatch, type LogStore, type WriteSet } from '../ports/log-store.port.js';
import type { PayloadSchemas, SchemaFault } from '../ports/payload-schemas.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { JobDetailRow, JobReads } from '../ports/read-models.port.js';
import { goneJob } from './gone-job.js';
import { faultOfReason, recovering } from './operate-job.js';
import { patchConflict, patchDrafts, type Standing, type StoredBody } from './operator-drafts.js';
import type { Conflict, OperatorOutcome, OperatorRequest } from './operator-request.js';
import { patchedBody, type BodyFault, type PatchedBody } from './patched-body.js';

export interface PatchRequest extends OperatorRequest {
  /** The JSON Patch, as JSON text. */
  readonly patch: string;
  /** Only shows what it would do; needs no reason. */
  readonly preview: boolean;
  /** The hash of the body that the preview has shown: another result is refused. Left out: whatever comes of it. */
  readonly result?: string;
}

export interface PatchParts {
  readonly log: LogStore;
  readonly policies: PolicySource;
  readonly reads: Pick<JobReads, 'one' | 'body' | 'summary'>;
  readonly context: () => ParseContext;
  readonly schemas: PayloadSchemas;
}

export interface PatchDone {
  readonly kind: 'previewed' | 'patched';
  readonly status: string;
  readonly attempt: number;
  readonly n: number;
  readonly before: StoredBody;
  readonly after: StoredBody;
  readonly changes: readonly BodyChange[];
  readonly redacted: readonly string[];
  /** Path of the JSON Schema that it fulfils; null: the queue has none. */
  readonly schema: string | null;
}

export type PatchOutcome =
  | PatchDone
  | Exclude<OperatorOutcome, { kind: 'done' }>
  | { readonly kind: 'fault'; readonly fault: BodyFault | { readonly code: 'patch_changes_nothing'; readonly detail: string } }
  | { readonly kind: 'schema'; readonly schema: string; readonly faults: readonly SchemaFault[] }
  | { readonly kind: 'schema_unusable'; readonly schema: string; readonly detail: string };

/**
 * Changes the payload of a dead letter by a JSON Patch and sends it round again: `patched`, `redriven`, `requeued` in one
 * transaction, so that the next attempt runs with the new body. The old one stays, by its hash.
 *
 * The body is worked out before the row is locked, on the payload as it then stands; under the lock that payload must
 * still be the job's. Repeating an applied call is safe: it conflicts, since the job is no dead letter any more.
 */
export class PatchPayload {
  constructor(private readonly parts: PatchParts) {}

  async patch(ref: JobRef, request: PatchRequest): Promise<PatchOutcome> {
    const fault = request.preview ? null : faultOfReason(request.reason);
    if (fault !== null) return fault;
    const row = await this.parts.reads.one(ref);
    if (row === null) return await goneJob(ref, this.parts.reads);
    const standing = this.standingOf(row);
    const conflicting = patchConflict(request, standing);
    if (conflicting !== null) return conflicting;
    const before = payloadOf(standing.state) as StoredBody;
    const kept = await this.parts.reads.body(ref, before.hash);
    if (kept?.bytes == null) return conflict(standing, 'payload_erased', 'its payload is no longer kept; queue it anew under another id');
    const made = patchedBody(ref, Buffer.from(kept.bytes).toString('utf8'), request.patch, this.parts.context());
    if (!made.ok) return { kind: 'fault', fault: made };
    const { schema } = this.parts.policies.policyFor(ref, row.kind).policy;
    const unfit = schema === null ? null : await this.unfit(schema, made.body);
    if (unfit !== null) return unfit;
    const after = { hash: made.body.hash, bytes: made.body.bytes.length };
    const { status, attempt, n } = standing.view;
    const shown = { status, attempt, n, before, after, changes: made.changes, redacted: made.redacted, schema };
    if (request.preview) return { kind: 'previewed', ...shown };
    if (after.hash === before.hash) return { kind: 'fault', fault: { code: 'patch_changes_nothing', detail: 'the body would stay as it is; redrive sends it round again unchanged' } };
    if (request.result !== undefined && request.result !== after.hash) return conflict(standing, 'result_differs', `the body would be ${after.hash} now; look at the preview again`);
    return await this.apply(ref, request, { ...shown, made });
  }

  private async apply(ref: JobRef, request: PatchRequest, { made, ...shown }: Shown): Promise<PatchOutcome> {
    const keyHex = jobKeyHex(ref);
    const outcome = await this.parts.log.transact(
      { jobs: [{ ref, keyHex, eventKeys: [] }], lane: LANE_INSIDE, locked: 'wait', missing: 'ignore', lockLeases: true },
      (batch) => this.decide(batch, keyHex, request, { ...shown, made }),
    );
    return outcome ?? (await goneJob(ref, this.parts.reads));
  }

  /** null: there is no such row. */
  private decide(batch: LockedBatch, keyHex: string, request: PatchRequest, { made, ...shown }: Shown): WriteSet<PatchOutcome | null> {
    const job = batch.jobs.get(keyHex);
    if (job === undefined) return { writes: [], result: () => null };
    const change = new JobChange(job, batch, this.parts.policies);
    const { maxRedrives } = change.policy.policy;
    const standing = { state: job.state, view: change.view, epoch: batch.epoch, maxRedrives, quarantined: job.quarantined };
    const payload = { before: shown.before, after: shown.after, evidence: this.evidenceOf(made) };
    const answer = batch.recovering ? recovering(standing.view) : patchDrafts(request, standing, payload);
    if (answer.kind === 'conflict') return { writes: [], result: () => answer };
    for (const draft of answer.drafts) change.decide(draft, draft.kind === ('patched' satisfies DecisionKind) ? { bodies: [made.body] } : undefined);
    const { status, attempt, n } = change.view;
    return { writes: [change.finish()], result: () => ({ kind: 'patched', ...shown, status, attempt, n }) };
  }

  /** What was touched, and none of the values: they are in the two bodies, which can be erased. */
  private evidenceOf({ operations, redacted }: PatchedBody): Record<string, unknown> {
    const { redactor } = this.parts.context();
    const kept = (path: string) => redactor.text(path.length > MAX_PATH ? `${path.slice(0, MAX_PATH).toWellFormed()}…` : path).text;
    const told = operations.slice(0, MAX_TOLD).map(({ op, path, from }) => ({ op, path: kept(path), ...(from !== undefined && { from: kept(from) }) }));
    return { operations: told, ...(operations.length > MAX_TOLD && { more: operations.length - MAX_TOLD }), ...(redacted.length > 0 && { redacted }) };
  }

  private async unfit(schema: string, { bytes }: Body): Promise<PatchOutcome | null> {
    const faults = await this.parts.schemas.faultsOf(schema, JSON.parse(Buffer.from(bytes).toString('utf8')));
    if (typeof faults === 'string') return { kind: 'schema_unusable', schema, detail: faults };
    return faults.length === 0 ? null : { kind: 'schema', schema, faults };
  }

  private standingOf(row: JobDetailRow): Standing {
    const state = stateFromJson(row.state);
    const { maxRedrives } = this.parts.policies.policyFor(row.ref, row.kind).policy;
    return { state, view: viewOf(state), epoch: row.epoch, maxRedrives, quarantined: row.quarantined };
  }
}

interface Shown extends Omit<PatchDone, 'kind'> {
  readonly made: PatchedBody;
}

/** Of a decision's evidence. */
const MAX_TOLD = 100;
const MAX_PATH = 200;

function conflict({ view }: Standing, code: Conflict['code'], detail: string): Conflict {
  const { status, attempt, n } = view;
  return { kind: 'conflict', code, status, attempt, n, detail };
}
