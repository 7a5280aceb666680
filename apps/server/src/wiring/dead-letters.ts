import { ExpireDeadLetters, Loop, RedriveMany, RedriveOutlook, SortDeadLetters, type OperateJob, type PolicySource } from '#libs/application';
import { PgDeadLetterIndex, PgDeadLetterReads, PgDeadLetterShelf, PgRedriveStore, type Database } from '#libs/postgres';
import type { Logger } from 'pino';

/** Nobody waits for a report of patterns as for a command; and a run of redrives has a second's worth in each step. */
const EVERY_MS = 1_000;
/** Another run may be due. */
const REDRIVE_EVERY_MS = 250;
/** Retention is a matter of days. */
const EXPIRE_EVERY_MS = 60_000;

export interface DeadLetterParts {
  /** For calls. */
  readonly writes: Database;
  /** For what goes on beside them. */
  readonly loops: Database;
  readonly jobs: Pick<OperateJob, 'callAll'>;
  readonly policies: PolicySource;
  readonly log: Logger;
}

/** Dead letters: sorted by what they died of, and sent round again in numbers. */
export function buildDeadLetters({ writes, loops, jobs, policies, log }: DeadLetterParts) {
  const sort = new SortDeadLetters(new PgDeadLetterIndex(loops));
  const redriving = new RedriveMany(new PgRedriveStore(loops), jobs);
  const expiring = new ExpireDeadLetters(new PgDeadLetterShelf(loops), jobs, policies);
  const loop = (what: string, idleMs: number, step: () => Promise<boolean>) =>
    new Loop(step, { idleMs, onError: (error) => log.warn({ err: error }, `${what}, which is repeated`) });
  const redriveStore = new PgRedriveStore(writes);
  return {
    operate: {
      deadLetters: new PgDeadLetterReads(writes),
      redrives: new RedriveMany(redriveStore, jobs),
      redriveStore,
      redriveOutlook: new RedriveOutlook(redriveStore, policies),
    },
    work: [
      loop('dead letters could not be sorted', EVERY_MS, () => sort.turn()),
      loop('a step of a redrive failed', REDRIVE_EVERY_MS, () => redriving.step()),
      loop('dead letters beyond their retention could not be discarded', EXPIRE_EVERY_MS, () => expiring.step()),
    ],
  };
}
