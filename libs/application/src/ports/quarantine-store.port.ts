import type { JobRef } from '#libs/domain';

/** What could not be stored as sent, with its bytes (redacted), until an operator replays or dismisses it. */
export interface QuarantineStore {
  /** Idempotent: the same broken message again is the same entry. */
  put(entries: readonly QuarantineDraft[]): Promise<void>;
}

export interface QuarantineDraft {
  readonly lane: number;
  /** Where it came from: `http`, or topic, partition and offset. */
  readonly origin: string;
  readonly reason: string;
  readonly detail: string;
  /** The jobs it names, as far as they could be read: verdicts on them are held. The first one is shown. */
  readonly refs: readonly JobRef[];
  readonly contentType: string;
  readonly bytes: Uint8Array;
}
