import { createHash } from 'node:crypto';

/** One attempt that Jobwarden has asked for. */
export interface Granted {
  readonly queue: string;
  readonly jobId: string;
  readonly attempt: number;
  readonly token: number;
}

/**
 * The id of the row that is added for a command's attempt: always the same, so that pg-boss's primary key refuses a copy of
 * the command. A UUID of version 8, made of a hash.
 */
export function grantedRowId({ queue, jobId, attempt, token }: Granted): string {
  const hash = createHash('sha256').update(JSON.stringify(['jobwarden', queue, jobId, attempt, token])).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
