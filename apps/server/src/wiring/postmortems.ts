import { Postmortems } from '#libs/application';
import { PgPostmortemReads, PgPostmortemStore, type Database } from '#libs/postgres';
import type { PostmortemCalls } from '../services.js';

/** What is left to say and to do when an incident is over. */
export function buildPostmortems(writes: Database, reads: Database): PostmortemCalls {
  const store = new PgPostmortemStore(writes);
  return { postmortems: new Postmortems(new PgPostmortemReads(reads), store), store };
}
