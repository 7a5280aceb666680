import { RetryableError, TerminalError } from '#libs/application';
import type { Pooling } from '#libs/config';
import { Database } from '#libs/postgres';

/** The service acts as a role that cannot change the log. */
const APP_ROLE = 'jobwarden_app';

/** The most connections of each pool. What one process takes is said in docs/operations.md, and sizing is made of it. */
export const POOL_SIZES = { writes: 10, reads: 8, loops: 10, lanes: 5 } as const;

/** Of one process; that of `lanes` has none without Kafka. */
export function mostConnections({ kafka }: { readonly kafka: boolean }): number {
  const { writes, reads, loops, lanes } = POOL_SIZES;
  return writes + reads + loops + (kafka ? lanes : 0);
}

/**
 * Four pools, so that no kind of work starves another: a burst of events must not keep the reconciler from looking, and
 * a report that takes long must not stop the beats by which other replicas know that this one lives. Connections are made
 * when they are needed: without Kafka its pool has none.
 */
export class Databases {
  /** Events and operator calls. */
  readonly writes: Database;
  /** Reports and streams. */
  readonly reads: Database;
  /** Beats, reconciler, publisher, housekeeping. */
  readonly loops: Database;
  /** Events from Kafka: two partitions at once, and what has been read of all. */
  readonly lanes: Database;

  constructor(url: string, pooling: Pooling) {
    const pool = (name: keyof typeof POOL_SIZES) =>
      new Database({ url, poolSize: POOL_SIZES[name], pooling, role: APP_ROLE, applicationName: `jobwarden-${name}` });
    this.writes = pool('writes');
    this.reads = pool('reads');
    this.loops = pool('loops');
    this.lanes = pool('lanes');
  }

  get all(): readonly Database[] {
    return [this.writes, this.reads, this.loops, this.lanes];
  }

  /** Throws where the role is lost on the way: a pooler may drop what a connection is begun with. */
  async checkRole(): Promise<void> {
    const [row] = await this.loops.query<{ role: string }>('SELECT current_user AS role');
    if (row?.role === APP_ROLE) return;
    throw new TerminalError(
      'role_lost',
      `the service is ${String(row?.role)} on the database, and must be ${APP_ROLE}: with a pooler in between set JOBWARDEN_DATABASE_POOLING=transaction`,
    );
  }

  /** A pool that is only busy shows that the database is there. */
  async isThere(): Promise<boolean> {
    try {
      await this.reads.query('SELECT 1');
      return true;
    } catch (error) {
      return (
        error instanceof RetryableError && error.code === 'connection_exhaustion' && this.reads.poolFigures.inUse > 0
      );
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((database) => database.close()));
  }
}
