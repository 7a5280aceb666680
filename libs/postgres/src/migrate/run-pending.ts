import { setTimeout as delay } from 'node:timers/promises';
import { MigrationExecutor, type DataSource, type Migration, type QueryRunner } from 'typeorm';
import { RetryableError, TerminalError } from '#libs/application';
import { WORK_LOCK, type MigrationLock } from './lock.js';
import type { Patience } from './progress.js';

/**
 * While a statement waits for a table, everybody who comes after it waits behind it, readers too: so it waits briefly,
 * takes everything back, lets the others go first, and tries again. What the user's own settings would cut short is let
 * run. And a server looks now and then whether the program is still there: a statement of minutes would otherwise go on
 * for nobody.
 */
const settings = (lockMs: number) => `
SET LOCAL lock_timeout = ${String(Math.ceil(lockMs))}; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
DO $$
BEGIN
  PERFORM set_config('client_connection_check_interval', '2s', true);
EXCEPTION WHEN invalid_parameter_value THEN NULL;
END
$$`;
const OTHERS_FIRST_MS = 1_000;
const WATCH_EVERY_MS = 200;
const LOCK_TIMEOUT = '55P03';

/** Runs what is pending, oldest first, each in a transaction of its own with the line that says so. Answers the names. */
export async function runPending(source: DataSource, lock: MigrationLock, patience: Patience): Promise<string[]> {
  const runner = source.createQueryRunner();
  const executor = new MigrationExecutor(source, runner);
  const ran: string[] = [];
  try {
    const pending = await executor.getPendingMigrations();
    for (const [i, migration] of pending.entries()) {
      patience.tell({ kind: 'running', name: migration.name, at: i + 1, of: pending.length });
      const begun = performance.now();
      const watch = new Watch(lock, patience, migration.name);
      if (!(await runOne({ runner, executor, migration, watch, patience }))) continue;
      patience.tell({ kind: 'ran', name: migration.name, ms: Math.round(performance.now() - begun) });
      ran.push(migration.name);
    }
    return ran;
  } finally {
    await runner.release();
  }
}

interface One {
  readonly runner: QueryRunner;
  readonly executor: MigrationExecutor;
  readonly migration: Migration;
  readonly watch: Watch;
  readonly patience: Patience;
}

/** false: somebody else has run it. */
async function runOne(one: One): Promise<boolean> {
  const { migration, watch, patience } = one;
  for (;;) {
    const error = await tried(one);
    if (typeof error === 'boolean') return error;
    if (!isLockTimeout(error)) throw error;
    if (patience.isOver) {
      throw new TerminalError('migration_blocked', `${migration.name} did not get its locks in time; in its way: ${watch.last ?? 'somebody who is gone now'}`, { cause: error });
    }
    if (patience.signal?.aborted === true) throw new RetryableError('migration_ended', `told to end while ${migration.name} waited for locks`, { cause: error });
    patience.tell({ kind: 'again', name: migration.name });
    await delay(OTHERS_FIRST_MS);
  }
}

/** It is in force: by this one, or by somebody else. Or what it failed by; nothing is left of it then. */
async function tried({ runner, executor, migration, watch, patience }: One): Promise<boolean | Error> {
  await runner.startTransaction();
  try {
    await runner.query(settings(patience.lockMs));
    const [me] = (await runner.query('SELECT pg_backend_pid() AS pid')) as { readonly pid: number }[];
    watch.begin(me?.pid ?? 0);
    await runner.query('SELECT pg_advisory_xact_lock($1)', [WORK_LOCK]);
    // Whoever lost the lock of the migrations, or died with its work done, may have run it since they were counted.
    const open = (await executor.getPendingMigrations()).some(({ name }) => name === migration.name);
    if (open) await executor.executeMigration(migration);
    await runner.commitTransaction();
    return open;
  } catch (error) {
    await runner.rollbackTransaction().catch(() => undefined);
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    await watch.end();
  }
}

function isLockTimeout(error: Error): boolean {
  return 'code' in error && error.code === LOCK_TIMEOUT;
}

/** Asks, by the connection of the lock, who keeps a running migration from going on, and tells of each once. */
class Watch {
  last: string | null = null;
  private readonly told = new Set<string>();
  private timer: NodeJS.Timeout | null = null;
  private looking: Promise<void> = Promise.resolve();

  constructor(
    private readonly lock: MigrationLock,
    private readonly patience: Patience,
    private readonly name: string,
  ) {}

  begin(pid: number): void {
    this.timer = setInterval(() => {
      this.looking = this.looking.then(() => this.look(pid)).catch(() => undefined);
    }, WATCH_EVERY_MS);
  }

  async end(): Promise<void> {
    if (this.timer !== null) clearInterval(this.timer);
    await this.looking;
  }

  private async look(pid: number): Promise<void> {
    for (const by of await this.lock.blockersOf(pid)) {
      this.last = by;
      if (!this.told.has(by)) this.patience.tell({ kind: 'blocked', name: this.name, by });
      this.told.add(by);
    }
  }
}
