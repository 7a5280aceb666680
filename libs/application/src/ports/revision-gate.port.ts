import type { JobRef, Worker } from '#libs/domain';

/** Which releases of workers are out of service. Answers from memory: asked at every claim. */
export interface RevisionGate {
  /** Of the list that is in memory. */
  readonly version: number;
  /** Reads the list that is in force. */
  refresh(): Promise<void>;
  refuses(queue: Pick<JobRef, 'namespace' | 'queue'>, worker: Worker): boolean;
}

/** Where nobody takes a release out of service, such as in a test. */
export const EVERY_REVISION: RevisionGate = { version: Infinity, refresh: () => Promise.resolve(), refuses: () => false };
