import type { QueueName } from './outcome-store.port.js';

export const EVIDENCE_KINDS = ['report', 'heap-snapshot'] as const;
/** `report`: Node's diagnostic report. `heap-snapshot`: everything that the process has in memory. */
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

export interface StoredEvidence {
  readonly id: string;
  readonly incidentId: string;
  readonly namespace: string;
  readonly revision: string | null;
  /** Who was asked; null: there was nobody. */
  readonly worker: string | null;
  /** Lane times, ms. */
  readonly askedMs: number;
  readonly deadlineMs: number;
  readonly endedMs: number | null;
  /** null: it is being waited for. `refused`: the worker allows none of it. */
  readonly outcome: 'captured' | 'timed-out' | 'refused' | 'no-worker' | null;
  readonly parts: readonly EvidencePart[];
  readonly erased: { readonly ms: number; readonly by: string; readonly reason: string } | null;
}

export interface EvidencePart {
  readonly kind: EvidenceKind;
  readonly state: 'arriving' | 'kept' | 'refused' | 'broken';
  readonly bytes: number;
  /** Lower-case hex; null: nothing is kept. */
  readonly sha256: string | null;
  /** Why there is none. */
  readonly reason: string | null;
}

/** What a worker is told in the answer to its heartbeat. */
export interface OpenEvidence {
  readonly id: string;
  readonly key: string;
  readonly namespace: string;
  readonly workerId: string;
  readonly incarnation: string | null;
  readonly withinMs: number;
}

export interface EvidenceAsk {
  readonly incidentId: string;
  /** At least one, of one namespace. */
  readonly queues: readonly QueueName[];
  /** null: any worker of these queues. */
  readonly revision: string | null;
  readonly key: string;
  readonly withinMs: number;
}

/** Why nothing is taken: nobody is asked so (any more), or not with this key. */
export type EvidenceFault = 'evidence_unknown' | 'evidence_key_wrong';

export interface EvidenceStore {
  /** Chooses a worker that is alive, the fullest heap first, and asks it. Once per incident; else nothing is done. */
  ask(ask: EvidenceAsk): Promise<void>;
  /** Ends what has run out of time, and answers what is still waited for. */
  open(): Promise<readonly OpenEvidence[]>;
  /** Ends it first where it has run out of time. */
  ofIncident(incidentId: string): Promise<StoredEvidence | null>;
  one(id: string): Promise<StoredEvidence | null>;
  /** A body begins; one of before is dropped. */
  begin(id: string, kind: EvidenceKind, key: string): Promise<EvidenceFault | null>;
  /** Idempotent by its number. */
  chunk(id: string, kind: EvidenceKind, n: number, bytes: Uint8Array): Promise<void>;
  keep(id: string, kind: EvidenceKind, whole: { readonly bytes: number; readonly sha256: string }): Promise<void>;
  /** Nothing of it is kept. */
  drop(id: string, kind: EvidenceKind, reason: string): Promise<void>;
  /** The worker has no more to say. */
  finish(id: string, key: string, refused: readonly { readonly kind: EvidenceKind; readonly reason: string }[]): Promise<EvidenceFault | null>;
  bytes(id: string, kind: EvidenceKind): AsyncIterable<Uint8Array>;
  /** For good; idempotent. */
  erase(id: string, by: string, reason: string): Promise<void>;
}
