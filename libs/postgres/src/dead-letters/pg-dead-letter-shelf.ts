import type { DeadLetterShelf, DeadLetterStanding } from '#libs/application';
import type { JobRef } from '#libs/domain';
import type { Queryable } from '../database.js';
import * as sql from './shelf-statements.js';

interface StoredStanding {
  readonly namespace: string;
  readonly queue: string;
  readonly letters: number;
  readonly oldest_ms: number | null;
  readonly unreviewed_ms: number | null;
}

export class PgDeadLetterShelf implements DeadLetterShelf {
  constructor(private readonly database: Queryable) {}

  async standing(): Promise<readonly DeadLetterStanding[]> {
    const rows = await this.database.query<StoredStanding>(sql.STANDING);
    return rows.map(({ namespace, queue, letters, oldest_ms: oldest, unreviewed_ms: unreviewed }) => ({
      ...{ namespace, queue, letters, oldestMs: oldest ?? 0, unreviewedMs: unreviewed },
    }));
  }

  async expired(
    { namespace, queue }: Pick<JobRef, 'namespace' | 'queue'>,
    { olderThanMs, limit }: { readonly olderThanMs: number; readonly limit: number },
  ): Promise<readonly JobRef[]> {
    return await this.database.query<JobRef & Record<string, unknown>>(sql.EXPIRED, [namespace, queue, olderThanMs, limit]);
  }
}
