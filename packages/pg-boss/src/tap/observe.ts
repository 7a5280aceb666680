import type { Client, Emitter } from '@jobwarden/client';
import { ObserveError, ReadOnlyDatabase } from './connection.js';
import { QueueTap } from './queue-tap.js';
import { JobTable } from './row.js';
import { pause, unfinishedRuns } from '@jobwarden/client/tapping';

export interface ObservePgBossOptions {
  /** Address of the database: `postgres://user:password@host:port/database`, with `?sslmode=require` for TLS. */
  readonly database: string;
  /** pg-boss's schema. Default `pgboss`. */
  readonly schema?: string;
  /** Only these. Default: all, also those that come later (looked for every minute). */
  readonly queues?: readonly string[];
  /** Send the jobs' payloads. Default false: they stay where they are. */
  readonly payload?: boolean;
  /** Ended jobs of each queue that are taken in at the start, the newest first. Default 1,000. */
  readonly history?: number;
  /** Between two looks, ms. Default 1,000. What comes and goes in between is seen only by what is left of it. */
  readonly everyMs?: number;
  /** Only take in what is there. Default false: until `signal`. */
  readonly once?: boolean;
  /** Where the facts go. Its source must be the same for every tap of a database, or two taps tell everything twice. */
  readonly emitter: Pick<Emitter, 'tell' | 'stats'>;
  /** Asked which runs are unfinished: those that ended while no tap was there are then told too. */
  readonly client?: Pick<Client, 'jobs'>;
  /** Called for each queue before it is read first; what it waits for, the queue waits for. */
  readonly before?: (queue: string, signal: AbortSignal) => Promise<void>;
  readonly onStatus?: (status: PgBossTapStatus) => void;
  readonly signal: AbortSignal;
}

export interface PgBossTapStatus {
  readonly queues: readonly string[];
  /** Statements that the database was sent. */
  readonly statements: number;
  readonly looks: number;
  /** Runs that have not ended, as far as the tap knows. */
  readonly unfinished: number;
  /** Why the database is not read at the moment; null: it is. */
  readonly trouble: string | null;
}

const FIND_EVERY_MS = 60_000;

/**
 * Watches queues of pg-boss 12, and changes nothing: every look is a read-only transaction. Ends when `signal` is
 * aborted, or with `once` when what is there was taken in.
 * @throws ObserveError when the database cannot be reached at first, refuses, or has no such queue
 */
export async function observePgBoss(options: ObservePgBossOptions): Promise<PgBossTapStatus> {
  const database = new ReadOnlyDatabase(options.database);
  const table = new JobTable(options.schema ?? 'pgboss', options.payload ?? false);
  const observation = new Observation(options, database, table);
  try {
    await observation.find();
    if (options.once !== true) await observation.follow();
    return observation.status();
  } finally {
    await database.close();
  }
}

class Observation {
  private readonly taps = new Map<string, QueueTap>();
  private looks = 0;
  private trouble: string | null = null;
  private foundMs = 0;

  constructor(
    private readonly options: ObservePgBossOptions,
    private readonly database: ReadOnlyDatabase,
    private readonly table: JobTable,
  ) {}

  status(): PgBossTapStatus {
    const unfinished = [...this.taps.values()].reduce((sum, tap) => sum + tap.unfinished, 0);
    return { queues: [...this.taps.keys()], statements: this.database.statements, looks: this.looks, unfinished, trouble: this.trouble };
  }

  async find(): Promise<void> {
    const { queues, signal } = this.options;
    const hasEnded = (): boolean => signal.aborted;
    this.foundMs = Date.now();
    if (queues !== undefined && this.taps.size > 0) return;
    const there = await this.names();
    const missing = queues?.find((queue) => !there.includes(queue));
    if (missing !== undefined) throw new ObserveError('no_such_queue', `pg-boss has no queue ${missing} in the schema ${this.table.name}.`, { there });
    for (const queue of queues ?? there) {
      if (this.taps.has(queue) || hasEnded()) continue;
      await this.options.before?.(queue, signal);
      if (hasEnded()) return;
      const { payload = false, history = 1_000, emitter, client } = this.options;
      const known = client === undefined ? null : (stop: AbortSignal) => unfinishedRuns(client, queue, { signal: stop, away: (why) => this.sayTrouble(why) });
      const tap = new QueueTap({ queue, payload, history, emitter, known, database: this.database, table: this.table });
      await tap.snapshot(signal);
      this.taps.set(queue, tap);
      this.say();
    }
    if (this.taps.size === 0 && !hasEnded()) throw new ObserveError('no_such_queue', `pg-boss has no queue in the schema ${this.table.name}.`);
  }

  /** Of another schema, where there is none in this one, the caller is told. */
  private async names(): Promise<string[]> {
    try {
      return await this.database.look(async (query) => await this.table.names(query));
    } catch (error) {
      if (!(error instanceof ObserveError) || error.code !== 'refused') throw error;
      const schemas = await this.database.look(async (query) => await this.table.schemas(query)).catch((): string[] => []);
      if (schemas.length === 0 || schemas.includes(this.table.name)) throw error;
      throw new ObserveError('refused', `The database has no pg-boss in the schema ${this.table.name}, but in ${schemas.join(', ')}. See --schema.`, { cause: error });
    }
  }

  async follow(): Promise<void> {
    const { signal, everyMs = 1_000 } = this.options;
    const hasEnded = (): boolean => signal.aborted;
    while (!hasEnded()) {
      try {
        for (const tap of this.taps.values()) {
          if (hasEnded()) return;
          await tap.look(signal);
          this.looks += 1;
        }
        this.trouble = null;
        if (Date.now() - this.foundMs > FIND_EVERY_MS) await this.find();
      } catch (error) {
        if (!(error instanceof ObserveError) || error.code !== 'unreachable') throw error;
        this.trouble = error.message;
      }
      this.say();
      await pause(everyMs, signal);
    }
  }

  private sayTrouble(why: string): void {
    this.trouble = why;
    this.say();
  }

  private say(): void {
    this.options.onStatus?.(this.status());
  }
}
