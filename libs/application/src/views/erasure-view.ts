import type { EraseAnswer, ErasureView } from '#libs/contracts';
import { erasureOf, type JobState } from '#libs/domain';
import type { Erased } from '../operate/erase-payload.js';
import { iso } from './time.js';

/** Nothing where nothing was erased. */
export function erasedOf(state: JobState): { readonly erased?: ErasureView } {
  const erasure = erasureOf(state);
  if (erasure === null) return {};
  const { laneMs, by, reason } = erasure;
  return { erased: { at: iso(laneMs), by, reason } };
}

type OutOfReach = EraseAnswer['outOfReach'];

/** True of every job: what this service has once let out of its hands, and what its database does with old rows. */
const ALWAYS: OutOfReach = [
  {
    where: 'log',
    what: 'What emitters said outside of bodies stays in the log until its retention passes: ids, error classes, messages up to 8 KiB, fields that the contract does not know; and of each body its SHA-256 and length.',
  },
  { where: 'topics', what: 'Records of Kafka topics, those that were read as those that were written, until the retention of each topic.' },
  { where: 'receivers', what: 'What workers, webhooks and readers of streams have been given, and what running processes hold in memory to tell again.' },
  {
    where: 'files',
    what: 'Old versions of the rows in the database’s files until their space is written again (VACUUM FULL does it at once), in its WAL, and in backups.',
  },
];

export function eraseAnswer({ status, attempt, n, already, found, first, payloadRef }: Erased): EraseAnswer {
  const { atMs, by, reason } = first;
  const elsewhere: OutOfReach =
    payloadRef === null ? [] : [{ where: 'reference', what: `The payload itself lies where ${JSON.stringify(payloadRef)} names it, and was never here.` }];
  return {
    ...{ status, attempt, n, already },
    erased: { at: iso(atMs), by, reason },
    found: { ...found },
    outOfReach: [...elsewhere, ...ALWAYS],
  };
}
