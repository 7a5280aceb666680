import { RetryableError, TerminalError } from '#libs/application';

/**
 * SQLSTATEs and socket errors, translated once, here. What is not known stays as it is: a bug should look like one.
 */
export function translated(error: unknown): unknown {
  if (error instanceof RetryableError || error instanceof TerminalError) return error;
  if (!(error instanceof Error)) return error;
  const code = codeOf(error);
  if (error.message.includes('timeout exceeded when trying to connect')) {
    return new RetryableError(
      'connection_exhaustion',
      'no database connection became free in time; repeat the call, or raise the pool size',
      { cause: error },
    );
  }
  if (CONFLICTS.has(code)) return new RetryableError('conflict', `lost a race (${code}); repeat`, { cause: error });
  if (isUnstorable(code)) return new TerminalError('unstorable', `cannot be stored: ${error.message}`, { cause: error });
  if (code === '53300') {
    return new RetryableError('connection_exhaustion', 'the database has no connection left', { cause: error });
  }
  if (isInTrouble(code)) {
    return new RetryableError('database_unavailable', `the database cannot do it now (${code})`, { cause: error });
  }
  if (isAway(code, error)) {
    return new RetryableError('database_unavailable', `the database is away (${code || error.message})`, {
      cause: error,
    });
  }
  return error;
}

/** Deadlock, serialization failure, lock not available: the transaction did nothing and may simply be repeated. */
export function isConflict(error: unknown): boolean {
  return error instanceof RetryableError && error.code === 'conflict';
}

const CONFLICTS: ReadonlySet<string> = new Set(['40P01', '40001', '55P03']);

/** Class 22 (data exceptions) and the size limits of 54: the datum is at fault, not the moment. */
function isUnstorable(code: string): boolean {
  return code.startsWith('22') || code === '54000' || code === '54010';
}

/** A statement behind one that failed in the same transaction: it says nothing of why. */
export function isAftermath(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === '25P02';
}

const AWAY: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']);

/**
 * Out of disk, memory or time, failing hardware, or read-only after a switch of servers: nothing is wrong with what was
 * asked, and somebody is called already.
 */
function isInTrouble(code: string): boolean {
  return code.startsWith('53') || code.startsWith('58') || code === '57014' || code === '25006';
}

/** The server says so as it closes: shut down, ended by an operator, or idle in a transaction for too long. */
export function endsConnection(code: string): boolean {
  return code.startsWith('57P') || code === '25P03';
}

function isAway(code: string, error: Error): boolean {
  if (AWAY.has(code) || code.startsWith('08') || endsConnection(code)) return true;
  return /Connection terminated|connection is closed|Client has encountered a connection error|not queryable/.test(
    error.message,
  );
}

function codeOf(error: Error): string {
  const { code } = error as Error & { code?: unknown };
  return typeof code === 'string' ? code : '';
}
