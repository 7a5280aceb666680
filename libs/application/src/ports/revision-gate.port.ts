import type { JobRef, Worker } from '#libs/domain';

/** Which releases of workers are out of service. Answers from memory: asked at every claim. */
export interface RevisionGate {
  refuses(queue: Pick<JobRef, 'namespace' | 'queue'>, worker: Worker): boolean;
}

/** Where nobody takes a release out of service, such as in a test. */
export const EVERY_REVISION: RevisionGate = { refuses: () => false };
