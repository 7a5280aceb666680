import { timingSafeEqual } from 'node:crypto';
import {
  TerminalError,
  type EvidenceAsk,
  type EvidenceFault,
  type EvidenceKind,
  type EvidencePart,
  type EvidenceStore,
  type OpenEvidence,
  type StoredEvidence,
} from '#libs/application';
import type { Database, Queryable } from '../database.js';
import { rowId } from '../read/paging.js';
import * as sql from './statements.js';

interface EvidenceRow {
  readonly evidence_id: number;
  readonly incident_id: number;
  readonly namespace: string;
  readonly revision: string | null;
  readonly worker_id: string | null;
  readonly asked_ms: number;
  readonly deadline_ms: number;
  readonly ended_ms: number | null;
  readonly outcome: StoredEvidence['outcome'];
  readonly erased: string | null;
  readonly parts: string;
}

interface OpenRow {
  readonly evidence_id: number;
  readonly upload_key: string;
  readonly namespace: string;
  readonly worker_id: string;
  readonly incarnation: string | null;
  readonly within_ms: number;
}

/** Reports and heaps of workers. Bodies lie in chunks: none is ever in memory as a whole. */
export class PgEvidenceStore implements EvidenceStore {
  constructor(private readonly database: Database) {}

  async ask({ incidentId, queues, revision, key, withinMs }: EvidenceAsk): Promise<void> {
    const names = queues.map(({ queue }) => queue);
    await this.database.query(sql.ASK, [Number(incidentId), queues[0]?.namespace, names, revision, key, withinMs]);
  }

  async open(): Promise<readonly OpenEvidence[]> {
    const rows = await this.database.prepared<OpenRow>('evidence_open', sql.OPEN, []);
    if (rows.some(({ within_ms: left }) => left === 0)) await this.database.query(sql.EXPIRE);
    return rows
      .filter(({ within_ms: left }) => left > 0)
      .map(({ evidence_id: id, upload_key: key, namespace, worker_id: workerId, incarnation, within_ms: withinMs }) => ({ id: String(id), key, namespace, workerId, incarnation, withinMs }));
  }

  async ofIncident(incidentId: string): Promise<StoredEvidence | null> {
    const id = rowId(incidentId);
    if (id === null) return null;
    await this.database.query(sql.EXPIRE);
    const [row] = await this.database.query<EvidenceRow>(sql.OF_INCIDENT, [id]);
    return row === undefined ? null : evidenceOf(row);
  }

  async one(id: string): Promise<StoredEvidence | null> {
    const [row] = await this.database.query<EvidenceRow>(sql.ONE, [rowId(id)]);
    return row === undefined ? null : evidenceOf(row);
  }

  async begin(id: string, kind: EvidenceKind, key: string): Promise<EvidenceFault | null> {
    return await this.asked(id, key, async (tx) => {
      await tx.query(sql.BEGIN_PART, [rowId(id), kind]);
      await tx.query(sql.DROP_CHUNKS, [rowId(id), kind]);
    });
  }

  async chunk(id: string, kind: EvidenceKind, n: number, bytes: Uint8Array): Promise<void> {
    const kept = await this.database.query(sql.CHUNK, [rowId(id), kind, n, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)]);
    if (kept.length === 0) throw over();
  }

  async keep(id: string, kind: EvidenceKind, { bytes, sha256 }: { readonly bytes: number; readonly sha256: string }): Promise<void> {
    const kept = await this.database.query(sql.KEEP, [rowId(id), kind, bytes, Buffer.from(sha256, 'hex')]);
    if (kept.length === 0) throw over();
  }

  async drop(id: string, kind: EvidenceKind, reason: string): Promise<void> {
    await this.database.query(sql.BREAK, [rowId(id), kind, reason]);
    await this.database.query(sql.DROP_CHUNKS, [rowId(id), kind]);
  }

  async finish(id: string, key: string, refused: Parameters<EvidenceStore['finish']>[2]): Promise<EvidenceFault | null> {
    return await this.asked(id, key, async (tx) => {
      for (const { kind, reason } of refused) await tx.query(sql.LEAVE, [rowId(id), kind, reason]);
      await tx.query(sql.FINISH, [rowId(id)]);
    });
  }

  async *bytes(id: string, kind: EvidenceKind): AsyncGenerator<Uint8Array> {
    for (let n = 0; ; n += 1) {
      const [row] = await this.database.query<{ bytes: Buffer }>(sql.READ_CHUNK, [rowId(id), kind, n]);
      if (row === undefined) return;
      yield row.bytes;
    }
  }

  async erase(id: string, by: string, reason: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query(sql.ERASE, [rowId(id), by, reason]);
      await tx.query(sql.DROP_CHUNKS, [rowId(id), null]);
    });
  }

  private async asked(id: string, key: string, work: (tx: Queryable) => Promise<void>): Promise<EvidenceFault | null> {
    return await this.database.transaction(async (tx) => {
      const [row] = await tx.query<{ upload_key: string | null; over: boolean }>(sql.ASKED, [rowId(id)]);
      // Its key is gone with its end: nobody is told by then whether there ever was one.
      if (row === undefined || row.over || row.upload_key === null) return 'evidence_unknown';
      if (!same(row.upload_key, key)) return 'evidence_key_wrong';
      await work(tx);
      return null;
    });
  }
}

function over(): TerminalError {
  return new TerminalError('evidence_over', 'the time in which it was asked for is over');
}

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function evidenceOf(row: EvidenceRow): StoredEvidence {
  const { namespace, revision, worker_id: worker, asked_ms: askedMs, deadline_ms: deadlineMs, ended_ms: endedMs, outcome } = row;
  return {
    ...{ id: String(row.evidence_id), incidentId: String(row.incident_id), namespace, revision, worker, askedMs, deadlineMs, endedMs, outcome },
    parts: JSON.parse(row.parts) as readonly EvidencePart[],
    erased: row.erased === null ? null : (JSON.parse(row.erased) as StoredEvidence['erased']),
  };
}
