import { createHash } from 'node:crypto';
import type { JobFact } from '@jobwarden/client';
import { untraced } from '../carried.js';
import { runId } from '../run-id.js';
import type { Row } from './row.js';

/** What pg-boss writes where it gives up waiting for a worker, by its expiry or its heartbeats. */
const EXPIRED: ReadonlySet<string> = new Set(['job timed out', 'job heartbeat timeout']);
const GONE = 'no longer in the queue';

export interface FactContext {
  readonly queue: string;
  /** Send payloads. */
  readonly payload: boolean;
}

/** A job that has not ended, as it was seen last. */
export interface Seen {
  readonly jobId: string;
  readonly state: Row['state'];
  readonly attempt: number;
  /** The last heartbeat that was told, ms of the database's clock. */
  readonly beatMs: number | null;
  /** Its start was told. */
  readonly started: boolean;
}

/**
 * Rows of one queue, as they are found, as facts. Ids and data follow from the row alone, so a second tap, or the same one
 * after a restart, says the same again, which is a duplicate.
 *
 *   created, blocked, deferred     → queued
 *   active                         → started: attempt retry_count + 1; its lease ends when pg-boss would take it back
 *   retry                          → failed, to be tried again; nothing where pg-boss only waited for its worker in vain
 *   completed | failed | cancelled → succeeded | failed for good | cancelled
 *
 * Of a job that pg-boss gives up for want of a sign of life, the worker has said nothing: it is told as the failure of the
 * attempt after the one that was lost, which no worker began.
 */
export class Translation {
  /** By native id: what has not ended. */
  readonly seen = new Map<string, Seen>();

  constructor(private readonly context: FactContext) {}

  /** `nowMs`: by the database's clock, when the row was read. */
  take(row: Row, nowMs: number): JobFact[] {
    const { queue } = this.context;
    const jobId = runId({ nativeId: row.id, createdMs: row.createdMs });
    const before = this.seen.get(row.id);
    const known = before?.jobId === jobId ? before : undefined;
    const facts = known === undefined ? this.queued(row, jobId) : [];
    const attempt = row.retryCount + 1;
    switch (row.state) {
      case 'created':
        this.remember(row, { jobId, attempt: 0, started: false, beatMs: null });
        return facts;
      case 'active':
        return [...facts, ...this.active(row, jobId, known, nowMs)];
      case 'retry':
        if (known?.state !== 'retry' || known.attempt !== attempt) {
          facts.push(...this.started(row, jobId, known));
          if (!expired(row)) facts.push(this.failed(row, jobId, { attempt, final: false }));
        }
        this.remember(row, { jobId, attempt, started: true, beatMs: null });
        return facts;
      case 'completed': {
        const atMs = row.completedMs ?? nowMs;
        const durationMs = row.startedMs === null ? null : Math.round(atMs - row.startedMs);
        const data = { attempt, ...(durationMs !== null && durationMs >= 0 && { durationMs }) };
        this.seen.delete(row.id);
        return [...facts, ...this.started(row, jobId, known), { type: 'succeeded', queue, jobId, id: `succeeded/${String(attempt)}`, time: new Date(atMs), data }];
      }
      case 'failed':
        this.seen.delete(row.id);
        facts.push(...this.started(row, jobId, known));
        return [...facts, this.failed(row, jobId, { attempt: expired(row) ? attempt + 1 : attempt, final: true })];
      case 'cancelled':
        this.seen.delete(row.id);
        return [...facts, this.cancelled(jobId, 'cancelled in pg-boss', row.completedMs ?? nowMs)];
    }
  }

  /** Of a job that is not there any more, and did not end before our eyes. */
  gone(nativeId: string, nowMs: number): JobFact[] {
    const seen = this.seen.get(nativeId);
    this.seen.delete(nativeId);
    return seen === undefined ? [] : [this.cancelled(seen.jobId, GONE, nowMs)];
  }

  cancelled(jobId: string, reason: string, atMs: number): JobFact {
    const { queue } = this.context;
    return { type: 'cancelled', queue, jobId, id: 'gone', time: new Date(atMs), data: { reason, by: 'pg-boss' } };
  }

  /** A retry writes over when a job was to begin first, so only what has had none can be told without contradicting oneself. */
  private queued(row: Row, jobId: string): JobFact[] {
    if (row.retryCount > 0 || row.state === 'retry') return [];
    const { queue, payload } = this.context;
    const { payload: sent, trace } = untraced(row.data);
    const deferred = row.startAfterMs > row.createdMs + 1_000;
    const data = {
      ...(deferred && Number.isFinite(row.startAfterMs) && { notBefore: new Date(row.startAfterMs).toISOString() }),
      ...(payload && sent !== null && sent !== undefined && { payload: sent }),
    };
    return [{ type: 'queued', queue, jobId, id: 'queued', time: new Date(row.createdMs), data, ...trace }];
  }

  private active(row: Row, jobId: string, known: Seen | undefined, nowMs: number): JobFact[] {
    const { queue } = this.context;
    const attempt = row.retryCount + 1;
    const facts = this.started(row, jobId, known);
    const first = facts.length > 0;
    const beatMs = row.beatMs ?? row.startedMs;
    const dueMs = takenBackMs(row, nowMs);
    const told = known?.attempt === attempt ? known.beatMs : null;
    if (first || (beatMs !== null && beatMs !== told)) {
      const leaseMs = Math.round(dueMs - nowMs);
      if (leaseMs >= 1) facts.push({ type: 'heartbeat', queue, jobId, data: { attempt, leaseMs } });
    }
    this.remember(row, { jobId, attempt, started: true, beatMs });
    return facts;
  }

  private started(row: Row, jobId: string, known: Seen | undefined): JobFact[] {
    const attempt = row.retryCount + 1;
    if (row.startedMs === null || (known?.started === true && known.attempt === attempt)) return [];
    const { queue } = this.context;
    const data = { attempt, worker: { id: cut(`pg-boss/${queue}`) } };
    return [{ type: 'started', queue, jobId, id: `started/${String(attempt)}`, time: new Date(row.startedMs), data }];
  }

  private failed(row: Row, jobId: string, { attempt, final }: { readonly attempt: number; readonly final: boolean }): JobFact {
    const { queue } = this.context;
    const waitMs = Math.round(row.startAfterMs - (row.startedMs ?? row.startAfterMs));
    const data = {
      ...{ attempt, error: errorOf(row.output), retryable: !final },
      // From the start on: when the failure was, pg-boss does not keep.
      ...(!final && waitMs > 0 && { retryAfterMs: waitMs }),
    };
    const hash = createHash('sha256').update(JSON.stringify(data)).digest('base64url').slice(0, 12);
    const time = new Date(row.completedMs ?? row.startedMs ?? row.createdMs);
    return { type: 'failed', queue, jobId, id: `failed/${String(attempt)}/${hash}`, time, data };
  }

  private remember(row: Row, seen: Omit<Seen, 'state'>): void {
    this.seen.set(row.id, { ...seen, state: row.state });
  }
}

/** When pg-boss would take an active job back: at its expiry, or sooner where its worker owes signs of life. */
function takenBackMs({ startedMs, expireMs, beatMs, beatEveryMs }: Row, nowMs: number): number {
  const expiresMs = (startedMs ?? nowMs) + expireMs;
  return beatEveryMs === null ? expiresMs : Math.min(expiresMs, (beatMs ?? startedMs ?? nowMs) + beatEveryMs);
}

function expired({ output }: Row): boolean {
  return EXPIRED.has(messageOf(field(output, 'value')) ?? messageOf(output) ?? '');
}

function errorOf(output: unknown): { readonly class: string; readonly message: string; readonly stack?: string } {
  const inner = field(output, 'value');
  const error = messageOf(output) === null && messageOf(inner) !== null ? inner : output;
  const [name, stack] = [field(error, 'name'), field(error, 'stack')];
  return {
    class: cut(typeof name === 'string' && name !== '' ? name : 'Error'),
    message: messageOf(error) ?? JSON.stringify(output ?? 'not known').slice(0, 1_000),
    ...(typeof stack === 'string' && { stack }),
  };
}

function messageOf(value: unknown): string | null {
  const message = field(value, 'message');
  return typeof message === 'string' ? message : null;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function cut(text: string): string {
  return Buffer.byteLength(text) <= 255 ? text : new TextDecoder().decode(Buffer.from(text).subarray(0, 255)).replace(/\uFFFD+$/u, '');
}
