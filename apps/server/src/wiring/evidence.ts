import { createHash, randomBytes } from 'node:crypto';
import { EvidenceDesk } from '#libs/application';
import { PgEvidenceStore, type Database } from '#libs/postgres';
import type { Evidence } from '../services.js';

/** Beyond it a heap is left where it is: it has to come, and be written, within 20 s. */
export const EVIDENCE_BYTES = 512 * 1_048_576;

/** What bad workers know of themselves. */
export function buildEvidence(database: Database): Evidence {
  const store = new PgEvidenceStore(database);
  const desk = new EvidenceDesk({ store, newKey: () => randomBytes(24).toString('base64url'), sha256: () => createHash('sha256'), maxBytes: EVIDENCE_BYTES });
  return { desk, store };
}
