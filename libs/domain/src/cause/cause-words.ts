import type { Cause } from './assessment.js';

/** For sentences: `It comes from …`. */
const WORDS: Readonly<Record<Cause, string>> = {
  poison_job: 'a poison job',
  bad_revision: 'a bad revision',
  lock_contention: 'lock contention',
  connection_exhaustion: 'a lack of free connections',
  downstream_outage: 'an outage elsewhere',
  memory: 'memory that ran out',
  overload: 'overload',
  race: 'a race between workers',
  unknown: 'an unknown cause',
};

/** A cause that another version of the program knows stays as it is. */
export function causeWords(cause: string): string {
  return Object.hasOwn(WORDS, cause) ? WORDS[cause as Cause] : cause;
}
