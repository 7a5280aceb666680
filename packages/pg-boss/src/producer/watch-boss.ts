import { activeTrace, type JobFact, type Logger } from '@jobwarden/client';
import type { Db, PgBoss } from 'pg-boss';
import { isOurs, unpacked, withTrace } from '../carried.js';
import type { Owner } from '../owners/conflict.js';
import { OwnersError } from '../owners/conflict.js';
import { rowOf } from '../row.js';
import { queuedFact } from './queued.js';

export interface Watching {
  readonly owner: Owner;
  readonly logger: Logger;
  readonly tell: (fact: JobFact) => void;
  /** Waits until so many jobs may be put into the queue, or rejects. */
  readonly intake: (queue: string, places: number) => Promise<void>;
  /** The trace context of the span that is active goes into a row's data. */
  readonly carryTrace: boolean;
}

const SENDS = ['send', 'sendAfter', 'sendThrottled', 'sendDebounced'] as const;
type Send = (...args: unknown[]) => Promise<string | null>;
interface Options {
  readonly db?: Db;
  readonly retryLimit?: number;
  readonly deadLetter?: string;
  readonly returnId?: boolean;
}

const watched = new WeakSet<PgBoss>();
const READ_AT_ONCE = 20;

/**
 * Lets what puts jobs into queues tell Jobwarden what it added. With a `db` of the caller's nothing is told here: the
 * transaction may yet roll back, so whoever begins the job tells it then. What a command adds is no new job.
 */
export function watchBoss<B extends PgBoss>(boss: B, watching: Watching): B {
  if (watched.has(boss)) return boss;
  watched.add(boss);
  for (const method of SENDS) {
    const send = (boss[method] as Send).bind(boss);
    (boss as unknown as Record<string, Send>)[method] = async (...args) => {
      const { name, data, options } = sendArgs(args);
      refuse(name, options, watching.owner);
      // What a command adds is no new job, and is throttled by the service.
      if (!isOurs(data)) await watching.intake(name, 1);
      const id = await send(...(watching.carryTrace ? traced(args) : args));
      if (id !== null && options.db === undefined) await tellOf(boss, name, [id], watching);
      return id;
    };
  }
  const insert = boss.insert.bind(boss);
  boss.insert = async (name, jobs, options) => {
    for (const job of jobs) refuse(name, job, watching.owner);
    if (jobs.length > 0) await watching.intake(name, jobs.length);
    const trace = watching.carryTrace ? activeTrace() : null;
    const sent = trace === null ? jobs : jobs.map((job) => ({ ...job, data: withTrace(job.data, trace) as object }));
    const { db, returnId = false } = (options ?? {}) as Options;
    if (db !== undefined) return await insert(name, sent, options);
    const ids = await insert(name, sent, { ...options, returnId: true });
    await tellOf(boss, name, ids ?? [], watching);
    return returnId ? ids : null;
  };
  return boss;
}

/** A job's own retries would be a second recoverer. */
function refuse(queue: string, { retryLimit = 0, deadLetter }: Options, owner: Owner): void {
  if (owner === 'queue' || (retryLimit === 0 && deadLetter === undefined)) return;
  const what = retryLimit > 0 ? `retryLimit: ${String(retryLimit)}` : `deadLetter: ${deadLetter ?? ''}`;
  throw new OwnersError(
    `Two would put back this job of the queue "${queue}": pg-boss (${what} of its own) and Jobwarden (owner: 'jobwarden'). ` +
      `Leave it out, and set maxRetries in Jobwarden's policy; or say "owner: 'queue'".`,
  );
}

/** The job is in its queue whatever becomes of this, so it never rejects. */
async function tellOf(boss: PgBoss, name: string, ids: readonly string[], { tell, logger }: Watching): Promise<void> {
  try {
    for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
      const rows = await Promise.all(ids.slice(at, at + READ_AT_ONCE).map((id) => rowOf(boss, name, id)));
      for (const row of rows) if (row?.retryCount === 0 && unpacked(row).carried === null) tell(queuedFact(row));
    }
  } catch (error) {
    logger.warn(`jobs of "${name}" are told when they are begun: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The call with the trace context that is active now in what it sends. */
function traced(args: readonly unknown[]): readonly unknown[] {
  const trace = activeTrace();
  if (trace === null) return args;
  const [first, data, ...rest] = args;
  if (typeof first === 'string') return [first, withTrace(data, trace), ...rest];
  const request = first as { readonly data?: unknown };
  return [{ ...request, data: withTrace(request.data, trace) }, ...args.slice(1)];
}

/** `(request)` or `(name, data, options, …)`. */
function sendArgs([first, second, third]: readonly unknown[]): { readonly name: string; readonly data: unknown; readonly options: Options } {
  if (typeof first === 'string') return { name: first, data: second, options: (third ?? {}) };
  const { name, data, options } = first as { readonly name: string; readonly data?: unknown; readonly options?: Options };
  return { name, data, options: options ?? {} };
}
