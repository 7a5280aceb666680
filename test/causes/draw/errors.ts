import type { Job } from '../fleet/run.js';
import type { JobError } from '../log/entry.js';
import type { Random } from '../random.js';

/** What libraries say. A fleet speaks one dialect: the same thing is worded differently elsewhere. */

function inDialect<T>(wordings: readonly T[], dialect: number): T {
  const found = wordings[dialect % wordings.length];
  if (found === undefined) throw new Error('no wordings');
  return found;
}

/** What fails now and then in any fleet: bad input, a busy service, a bug that hits one in a thousand. */
export function noiseError(random: Random, job: Job): JobError {
  const id = random.int(10_000, 99_999_999);
  return random.pick<() => JobError>([
    () => ({ class: 'ValidationError', message: `order ${String(id)}: field "email" is not an address` }),
    () => ({ class: 'NotFoundError', message: `customer ${random.hex(8)}-${random.hex(4)} does not exist`, responseStatus: 404 }),
    () => ({ class: 'Error', message: `invoice ${String(id)} is already paid`, code: 'E_PAID' }),
    () => ({ class: 'TimeoutError', message: `The operation was aborted due to timeout after ${String(random.int(9_900, 10_100))} ms`, code: 'ETIMEDOUT' }),
    () => ({ class: 'HTTPError', message: 'Response code 502 (Bad Gateway)', responseStatus: 502 }),
    () => ({ class: 'TypeError', message: "Cannot read properties of null (reading 'address')" }),
    () => ({ class: 'FetchError', message: 'socket hang up', code: 'ECONNRESET' }),
    () => ({ class: 'DatabaseError', message: `duplicate key value violates unique constraint "${job.kind}_pkey"`, code: '23505' }),
    () => ({ class: 'DatabaseError', message: 'could not serialize access due to concurrent update', code: '40001' }),
    () => ({ class: 'SmtpError', message: `mailbox ${random.hex(6)}@example.com is full`, code: 'E552' }),
  ])();
}

export function timeoutError(_random: Random, dialect: number, ms: number): JobError {
  return inDialect<JobError>([
    { class: 'TimeoutError', message: `handler timed out after ${String(ms)} ms` },
    { class: 'Error', message: `job exceeded its time limit (${String(ms / 1_000)} s)`, code: 'ERR_TIMEOUT' },
    { class: 'JobTimeout', message: 'execution deadline exceeded' },
  ], dialect);
}

export function connectionError(random: Random, dialect: number, why: 'too-many-clients' | 'pool-timeout'): JobError {
  if (why === 'too-many-clients') {
    return inDialect<JobError>([
      { class: 'DatabaseError', message: 'sorry, too many clients already', code: '53300' },
      { class: 'PostgresError', message: 'remaining connection slots are reserved for roles with the SUPERUSER attribute', code: '53300' },
      { class: 'PG::TooManyConnections', message: `FATAL: too many connections for role "app${String(random.int(1, 3))}"`, code: '53300' },
    ], dialect);
  }
  return inDialect<JobError>([
    { class: 'Error', message: 'timeout exceeded when trying to connect' },
    { class: 'KnexTimeoutError', message: 'Knex: Timeout acquiring a connection. The pool is probably full. Are you missing a .transacting(trx) call?' },
    { class: 'SQLTransientConnectionException', message: `HikariPool-1 - Connection is not available, request timed out after ${String(random.int(30_000, 30_009))}ms.` },
    { class: 'TimeoutError', message: 'QueuePool limit of size 5 overflow 10 reached, connection timed out, timeout 30.00' },
  ], dialect);
}

export function lockError(random: Random, dialect: number, why: 'deadlock' | 'timeout', key: string): JobError {
  if (why === 'deadlock') {
    return inDialect<JobError>([
      { class: 'DatabaseError', message: 'deadlock detected', code: '40P01' },
      { class: 'QueryFailedError', message: `deadlock detected: Process ${String(random.int(100, 9_999))} waits for ShareLock on transaction ${String(random.int(1e6, 9e6))}`, code: '40P01' },
      { class: 'ER_LOCK_DEADLOCK', message: 'Deadlock found when trying to get lock; try restarting transaction', code: 'ER_LOCK_DEADLOCK' },
    ], dialect);
  }
  return inDialect<JobError>([
    { class: 'DatabaseError', message: 'canceling statement due to lock timeout', code: '55P03' },
    { class: 'QueryFailedError', message: `could not obtain lock on row in relation "orders" (${key})`, code: '55P03' },
    { class: 'ExecutionError', message: 'The operation was unable to achieve a quorum during its retry window.' },
    { class: 'ResourceLockedError', message: `The operation was applied to: 0 of the 3 requested resources ("lock:${key}").` },
    { class: 'LockError', message: `Exceeded 10 attempts to lock the resource "${key}".` },
  ], dialect);
}

export function outOfMemoryError(random: Random, dialect: number): JobError {
  return inDialect<JobError>([
    { class: 'RangeError', message: 'Array buffer allocation failed' },
    { class: 'Error', message: 'Worker terminated due to reaching memory limit: JS heap out of memory', code: 'ERR_WORKER_OUT_OF_MEMORY' },
    { class: 'MemoryError', message: `Unable to allocate ${String(random.int(80, 900))} MiB for an array` },
    { class: 'OutOfMemoryError', message: 'Java heap space' },
  ], dialect >> 1);
}
