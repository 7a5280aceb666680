import { createHash } from 'node:crypto';
import type { QuarantineDraft, QuarantineStore } from '#libs/application';
import { jobKeyHex } from '#libs/contracts';
import type { JobRef } from '#libs/domain';
import { bytes, hexes, ints, texts } from '../arrays.js';
import type { Database } from '../database.js';

const PUT = `
INSERT INTO jobwarden.quarantine (lane, origin, reason, detail, namespace, queue, job_id, content_type, job_keys, bytes, digest)
SELECT lane, origin, reason, detail, namespace, queue, job_id, content_type, job_keys::bytea[], bytes, digest
FROM unnest($1::smallint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
            $9::text[], $10::bytea[], $11::bytea[])
  AS u (lane, origin, reason, detail, namespace, queue, job_id, content_type, job_keys, bytes, digest)
ON CONFLICT (digest) DO NOTHING`;

export class PgQuarantineStore implements QuarantineStore {
  constructor(private readonly database: Database) {}

  async put(entries: readonly QuarantineDraft[]): Promise<void> {
    if (entries.length === 0) return;
    const named = entries.map((e) => e.refs.filter(isStorable));
    const refs = named.map(([first]) => first);
    await this.database.prepared('quarantine_put', PUT, [
      ints(entries.map((e) => e.lane)),
      texts(entries.map((e) => e.origin)),
      texts(entries.map((e) => e.reason)),
      texts(entries.map((e) => clean(e.detail))),
      texts(refs.map((r) => r?.namespace ?? null)),
      texts(refs.map((r) => r?.queue ?? null)),
      texts(refs.map((r) => r?.id ?? null)),
      texts(entries.map((e) => clean(e.contentType))),
      texts(named.map((all) => hexes(all.map((r) => jobKeyHex(r))))),
      bytes(entries.map((e) => e.bytes)),
      bytes(entries.map(digestOf)),
    ]);
  }
}

/** PostgreSQL's text holds no NUL; a name that has one is dropped rather than the entry. */
function isStorable(ref: JobRef): boolean {
  return [ref.namespace, ref.queue, ref.id].every((part) => !part.includes('\0') && part.isWellFormed());
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
