import type { JobRef } from '#libs/domain';

/** What of a job's bodies is still kept, by where it lies. */
export interface Erasable {
  /** Payload, snapshots, stacks and long messages. */
  readonly bodies: number;
  /** Messages that went out, or wait to, with the payload or the progress in them. */
  readonly commands: number;
  /** Progress that workers told. */
  readonly progress: number;
  /** Entries of the quarantine that name the job. */
  readonly quarantined: number;
}

export interface ErasureReads {
  /** As it stands now, without a lock. */
  find(ref: JobRef): Promise<Erasable>;
}
