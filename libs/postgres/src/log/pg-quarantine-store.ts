import { createHash } from 'node:crypto';
import type { QuarantineDraft, QuarantineStore } from '#libs/application';
import { jobKey } from '#libs/contracts';
import type { JobRef } from '#libs/domain';
import { bytes, hexes, ints, texts } from '../arrays.js';
import type { Database } from '../database.js';

const PUT = `
INSERT INTO jobwarden.quarantine (lane, origin, reason, detail, namespace, queue, job_id, content_type, job_key, bytes, digest)
SELECT * FROM unnest($1::smallint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
                     $9::bytea[], $10::bytea[], $11::bytea[])
ON CONFLICT (digest) DO NOTHING`;

export class PgQuarantineStore implements QuarantineStore {
  constructor(private readonly database: Database) {}

  async put(entries: readonly QuarantineDraft[]): Promise<void> {
    if (entries.length === 0) return;
    const refs = entries.map((e) => storable(e.ref));
    await this.database.prepared('quarantine_put', PUT, [
      ints(entries.map((e) => e.lane)),
      texts(entries.map((e) => e.origin)),
      texts(entries.map((e) => e.reason)),
      texts(entries.map((e) => clean(e.detail))),
      texts(refs.map((r) => r?.namespace ?? null)),
      texts(refs.map((r) => r?.queue ?? null)),
      texts(refs.map((r) => r?.id ?? null)),
      texts(entries.map((e) => clean(e.contentType))),
      hexes(refs.map((r) => (r === null ? null : jobKey(r).toString('hex')))),
      bytes(entries.map((e) => e.bytes)),
      bytes(entries.map(digestOf)),
    ]);
  }
}

/** PostgreSQL's text holds no NUL; what an entry names is dropped rather than the entry. */
function storable(ref: JobRef | null): JobRef | null {
  if (ref === null) return null;
  return [ref.namespace, ref.queue, ref.id].every((part) => !part.includes('\0') && part.isWellFormed()) ? ref : null;
}

function clean(text: string): string {
  return text.replaceAll('\0', '\\0').toWellFormed();
}

function digestOf(entry: QuarantineDraft): Uint8Array {
  return createHash('sha256')
    .update(JSON.stringify([entry.lane, entry.origin, entry.reason]))
    .update(entry.bytes)
    .digest()
    .subarray(0, 16);
}
