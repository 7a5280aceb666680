import type { Worker } from '#libs/domain';
import { EVIDENCE_KINDS, type EvidenceFault, type EvidenceKind, type EvidenceStore, type OpenEvidence, type StoredEvidence } from '../ports/evidence-store.port.js';
import type { QueueName } from '../ports/outcome-store.port.js';

export interface EvidenceDeskParts {
  readonly store: EvidenceStore;
  /** A new secret, by which an upload is known to be the asked worker's. */
  readonly newKey: () => string;
  /** A hash that is fed piece by piece. */
  readonly sha256: () => Digest;
  /** Of one body. */
  readonly maxBytes: number;
  /** How long is waited, ms. Default {@link EVIDENCE_MS}. */
  readonly withinMs?: number;
}

export interface Digest {
  update(bytes: Uint8Array): unknown;
  digest(encoding: 'hex'): string;
}

/** No run waits longer for what a worker knows of itself. */
export const EVIDENCE_MS = 20_000;
const CHUNK_BYTES = 1_048_576;

export interface EvidenceStanding {
  readonly outcome: 'not-asked' | 'asked' | 'captured' | 'timed-out' | 'no-worker';
  readonly figures: Readonly<Record<string, unknown>>;
}

export interface EvidenceCall {
  readonly id: string;
  readonly kinds: readonly EvidenceKind[];
  readonly key: string;
  readonly withinMs: number;
  readonly maxBytes: number;
}

export type Received =
  | { readonly kind: 'kept'; readonly bytes: number; readonly sha256: string }
  | { readonly kind: 'refused'; readonly code: EvidenceFault | 'evidence_too_large' };

/**
 * What one bad worker knows of itself, asked for before its pods are gone:
 *
 *   not asked ──ask──► asked ──a beat of that worker is answered with it──► bodies arrive ──done──► captured | refused
 *                        └────────────── 20 s of lane time ──────────────► captured, with what has come whole | timed out
 *                  └──► no worker of the revision is alive
 *
 * One worker per incident, asked once. Which are waited for is known from memory: `refresh` every second, on every replica.
 * Bodies are restricted: a heap holds payloads and secrets. What has not come whole by the deadline is not kept.
 */
export class EvidenceDesk {
  private open: readonly OpenEvidence[] = [];

  constructor(private readonly parts: EvidenceDeskParts) {}

  async refresh(): Promise<void> {
    this.open = await this.parts.store.open();
  }

  /** Idempotent per incident. */
  async ask(incidentId: string, queues: readonly QueueName[], revision: string | null): Promise<void> {
    const { store, newKey, withinMs = EVIDENCE_MS } = this.parts;
    if (queues.length === 0) return;
    await store.ask({ incidentId, queues, revision, key: newKey(), withinMs });
    await this.refresh();
  }

  async standing(incidentId: string): Promise<EvidenceStanding> {
    const found = await this.parts.store.ofIncident(incidentId);
    if (found === null) return { outcome: 'not-asked', figures: {} };
    const outcome = found.outcome === null ? 'asked' : found.outcome === 'refused' ? 'no-worker' : found.outcome;
    return { outcome, figures: figuresOf(found) };
  }

  /** What is wanted of this worker, which has just beaten; null: nothing. */
  wanted(namespace: string, { id, incarnation }: Worker): EvidenceCall | null {
    if (this.open.length === 0) return null;
    const found = this.open.find((one) => one.namespace === namespace && one.workerId === id && one.incarnation === (incarnation ?? null));
    if (found === undefined) return null;
    return { id: found.id, key: found.key, kinds: EVIDENCE_KINDS, withinMs: found.withinMs, maxBytes: this.parts.maxBytes };
  }

  /** Takes a body as it comes. What breaks off, or is too large, is not kept. */
  async receive(of: { readonly id: string; readonly kind: EvidenceKind; readonly key: string }, body: AsyncIterable<Uint8Array>): Promise<Received> {
    const { store, maxBytes, sha256: newHash } = this.parts;
    const { id, kind, key } = of;
    const fault = await store.begin(id, kind, key);
    if (fault !== null) return { kind: 'refused', code: fault };
    const hash = newHash();
    let bytes = 0;
    let n = 0;
    try {
      for await (const chunk of chunked(body)) {
        bytes += chunk.length;
        if (bytes > maxBytes) {
          await store.drop(id, kind, `over ${String(maxBytes)} bytes`);
          return { kind: 'refused', code: 'evidence_too_large' };
        }
        hash.update(chunk);
        await store.chunk(id, kind, n, chunk);
        n += 1;
      }
    } catch (error) {
      await store.drop(id, kind, 'it broke off');
      throw error;
    }
    const sha256 = hash.digest('hex');
    await store.keep(id, kind, { bytes, sha256 });
    return { kind: 'kept', bytes, sha256 };
  }

  async finish(id: string, key: string, refused: readonly { readonly kind: EvidenceKind; readonly reason: string }[]): Promise<EvidenceFault | null> {
    const fault = await this.parts.store.finish(id, key, refused);
    await this.refresh();
    return fault;
  }
}

/** Pieces of about a MiB: a stream hands out what a socket had. */
async function* chunked(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    held.push(piece);
    size += piece.length;
    if (size < CHUNK_BYTES) continue;
    yield Buffer.concat(held);
    [held, size] = [[], 0];
  }
  if (size > 0) yield Buffer.concat(held);
}

function figuresOf({ id, worker, parts, outcome }: StoredEvidence): Readonly<Record<string, unknown>> {
  const kept = parts.filter(({ state }) => state === 'kept').map(({ kind, bytes, sha256 }) => ({ ref: `evidence/${id}/${kind}`, bytes, sha256 }));
  const left = parts.filter(({ state }) => state === 'refused' || state === 'broken').map(({ kind, reason }) => ({ kind, reason }));
  return {
    evidence: id,
    ...(worker !== null && { worker }),
    ...(kept.length > 0 && { bodies: kept }),
    ...(left.length > 0 && { left }),
    ...(outcome === 'refused' && { refused: true }),
  };
}
