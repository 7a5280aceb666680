import type { Erasure } from '#libs/application';
import type { JobRef } from '#libs/domain';
import type { Queryable } from '../database.js';
import * as sql from './statements.js';
import { commandWithout, entryWithout, type LeftOfCommand } from './without.js';

type Tx = Pick<Queryable, 'query'>;

/** Erases what lies of one job's bodies anywhere, under its row's lock. Another job's stay, also where they are the same. */
export async function eraseJob(tx: Tx, { job, by, reason }: Erasure): Promise<void> {
  const key = Buffer.from(job.keyHex, 'hex');
  await tx.query(sql.ERASE_BODIES, [key]);
  await tx.query(sql.ERASE_PROGRESS, [key]);
  for (const { shard, number, left } of await commandsLeft(tx, key)) {
    await tx.query(left.hadPayload ? sql.SKIP_COMMAND : sql.REWRITE_COMMAND, [shard, number, left.message]);
  }
  for (const { id, left } of await entriesLeft(tx, key, job.ref)) {
    if (left === null) await tx.query(sql.DISMISS_QUARANTINED, [id, by, reason]);
    else await tx.query(sql.REWRITE_QUARANTINED, [id, left]);
  }
}

interface CommandLeft {
  readonly shard: number;
  readonly number: number;
  readonly left: LeftOfCommand;
}

/** Commands that have something to erase, and what is left of them. */
export async function commandsLeft(tx: Tx, key: Buffer): Promise<readonly CommandLeft[]> {
  const rows = await tx.query<{ shard: number; number: number; message: string }>(sql.COMMANDS, [key]);
  return rows.flatMap(({ shard, number, message }) => {
    const left = commandWithout(message);
    return left === null ? [] : [{ shard, number, left }];
  });
}

interface EntryLeft {
  readonly id: number;
  /** null: it is about this job alone, and nothing of it stays. */
  readonly left: Buffer | null;
}

export async function entriesLeft(tx: Tx, key: Buffer, ref: JobRef): Promise<readonly EntryLeft[]> {
  const rows = await tx.query<{ id: number; jobs: number; bytes: Buffer }>(sql.QUARANTINED, [key]);
  return rows.flatMap(({ id, jobs, bytes }): EntryLeft[] => {
    if (jobs === 1) return [{ id, left: null }];
    const left = entryWithout(bytes, ref);
    return left === null ? [] : [{ id, left }];
  });
}
