import type { ApprovableVerdict, ApprovalScope, ApprovedBy, VerdictStore, WrongAct } from '#libs/application';
import { hexes, ints } from '../arrays.js';
import { BEGIN_BY_KEY, type Database } from '../database.js';
import { Conditions, rowId } from '../read/paging.js';
import * as sql from './statements.js';

export class PgVerdictStore implements VerdictStore {
  constructor(private readonly database: Database) {}

  async confirmSilent(readMs: number, limit: number): Promise<number> {
    return (await this.database.prepared('confirm_silent', sql.CONFIRM_SILENT, [readMs, limit])).length;
  }

  async approvable(
    scope: ApprovalScope,
    limit: number,
  ): Promise<{ readonly total: number; readonly verdicts: readonly ApprovableVerdict[] }> {
    const rows = await this.database.query<FoundRow>(...found(scope, limit));
    const verdicts = rows.map(({ id, key, namespace, queue, action, state, stands }) => ({ id, keyHex: key, namespace, queue, action, state, stands }));
    return { total: rows[0]?.total ?? 0, verdicts };
  }

  async approve(
    verdicts: readonly (ApprovableVerdict & { readonly holdsMs: number })[],
    { by, reason }: ApprovedBy,
  ): Promise<boolean> {
    if (verdicts.length === 0) return true;
    const jobs = hexes([...new Set(verdicts.map((v) => v.keyHex))].sort());
    try {
      await this.database.transaction(async (tx) => {
        await tx.query(sql.LOCK_JOBS, [jobs]);
        const values = [ints(verdicts.map((v) => Number(v.id))), ints(verdicts.map((v) => v.holdsMs)), by, reason];
        const approved = await tx.query(sql.APPROVE, values);
        if (approved.length !== verdicts.length) throw new MovedOn();
        await tx.query(sql.MAKE_DUE, [jobs]);
      }, BEGIN_BY_KEY);
      return true;
    } catch (error) {
      if (error instanceof MovedOn) return false;
      throw error;
    }
  }

  async wrongActs(limit: number): Promise<readonly WrongAct[]> {
    const rows = await this.database.prepared<WrongActRow>('wrong_acts', sql.WRONG_ACTS, [limit]);
    return rows.map(({ job_id: jobId, at_ms: atMs, graded_ms: gradedMs, ...rest }) => ({ ...rest, jobId, atMs, gradedMs }));
  }

  async answered(ids: readonly string[]): Promise<readonly string[]> {
    if (ids.length === 0) return [];
    const rows = await this.database.query<{ id: string }>(sql.ANSWERED, [ints(ids.map(Number))]);
    return rows.map((row) => row.id);
  }
}

class MovedOn extends Error {}

interface FoundRow extends Omit<ApprovableVerdict, 'keyHex'> {
  readonly key: string;
  readonly total: number;
}

interface WrongActRow extends Omit<WrongAct, 'jobId' | 'atMs' | 'gradedMs'> {
  readonly job_id: string;
  readonly at_ms: number;
  readonly graded_ms: number;
}

function found(scope: ApprovalScope, limit: number): [string, unknown[]] {
  if ('ids' in scope) {
    const ids = scope.ids.flatMap((id) => rowId(id) ?? []);
    const conditions = new Conditions().add('q.namespace = $', scope.namespace).add('v.verdict_id = ANY ($::bigint[])', ints(ids));
    const text = `${sql.BY_ID} ${conditions.where} ORDER BY v.verdict_id LIMIT ${conditions.param(limit)}`;
    return [text, conditions.values];
  }
  const { queue, action, verdict, reason, state, untilMs } = scope.filter;
  const conditions = new Conditions(sql.APPROVABLE)
    .add('q.namespace = $', scope.namespace)
    .add('q.queue = $', queue)
    .add('v.action = $', action)
    .add('v.verdict = $', verdict)
    .add('v.reason = $', reason)
    .add('v.state = $', state)
    .add('v.last_ms <= $', untilMs);
  const text = `${sql.BY_FILTER} ${conditions.where} ORDER BY v.verdict_id LIMIT ${conditions.param(limit)}`;
  return [text, conditions.values];
}
