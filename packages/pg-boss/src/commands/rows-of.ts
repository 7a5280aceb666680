import type { EnqueueCommandData } from '@jobwarden/client';
import type { PgBoss } from 'pg-boss';
import { grantedRowId } from '../granted-id.js';
import { rowOf, type Row } from '../row.js';
import { parseRunId } from '../run-id.js';

/** Each is a read by the primary key; there are more only after that many retries. */
const MOST_LOOKED_AT = 20;

interface Named {
  readonly subject: string;
  readonly data: Pick<EnqueueCommandData, 'queue' | 'attempt' | 'token'>;
}

/** Where a run may be in pg-boss: its own row, or one that a command has added, newest first. */
export function rowIdsOf({ subject: jobId, data: { queue, attempt, token } }: Named): readonly string[] {
  const native = parseRunId(jobId)?.nativeId;
  const added = Array.from({ length: Math.min(MOST_LOOKED_AT, attempt) }, (_, i) => grantedRowId({ queue, jobId, attempt: attempt - i, token: token - i }));
  return native === undefined ? added : [native, ...added];
}

/** Those that there are. Another job may have got the native id since. */
export async function rowsOf(boss: PgBoss, name: string, of: Named): Promise<readonly Row[]> {
  const native = parseRunId(of.subject);
  const rows: Row[] = [];
  for (const id of rowIdsOf(of)) {
    const row = await rowOf(boss, name, id);
    if (row === null || (id === native?.nativeId && row.createdOn.getTime() !== native.createdMs)) continue;
    rows.push(row);
  }
  return rows;
}
