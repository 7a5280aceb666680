import type { EnqueueCommand } from '@jobwarden/client';
import type { SendOptions } from 'pg-boss';
import { unpacked, withCarried } from '../carried.js';
import { grantedRowId } from '../granted-id.js';
import { rowOf, type Row } from '../row.js';
import { attemptedBy, type PutBack, type PuttingBack } from './putting-back.js';

export interface Adding extends PuttingBack {
  /** The last row of the run; null: there is none left. */
  readonly like: Row | null;
}

/** A day longer than Jobwarden keeps what it has sent: no copy comes after the row is gone. */
const KEPT_SECONDS = 8 * 86_400;

/**
 * Adds the attempt of a command as a new row, since the run has none that could wait again: pg-boss has deleted it, or it is
 * of another database. The id is made of queue, job, attempt and token, so the primary key refuses a copy.
 */
export async function addAgain(name: string, command: EnqueueCommand, { boss, logger, like }: Adding): Promise<PutBack> {
  const { subject: jobId, data } = command;
  const { queue, attempt, token } = data;
  const id = grantedRowId({ queue, jobId, attempt, token });
  const payload = payloadOf(data) ?? (like === null ? undefined : unpacked(like).payload);
  if (payload === undefined && like === null) {
    logger.warn(`job ${jobId} of ${name} is gone from pg-boss, and Jobwarden has no payload to send it again`);
    return 'no-payload';
  }
  const carried = { ...attemptedBy(name, command), row: id, retryCount: 0 };
  const options = { ...(like !== null && sameAs(like)), id, retryLimit: 0, deleteAfterSeconds: KEPT_SECONDS };
  if ((await boss.send(name, withCarried(payload, carried), options)) !== null) return 'added';
  // It answers the same where the id is known, and where the queue's policy takes no further one.
  if ((await rowOf(boss, name, id)) !== null) return 'copy';
  logger.warn(`the policy of the queue "${name}" takes no further job like ${jobId} now: its attempt ${String(attempt)} is left to the next command`);
  return 'held-off';
}

/** A reference is handed on as it is: only the handler knows where it leads. */
function payloadOf({ payload, payloadRef }: EnqueueCommand['data']): unknown {
  return payload === undefined && payloadRef !== undefined ? { payloadRef } : payload;
}

/** What makes a row like another, but for its id, its retries and its time. */
function sameAs({ priority, singletonKey, groupId, groupTier, expireInSeconds, heartbeatSeconds }: Row): SendOptions {
  return {
    ...{ priority, expireInSeconds },
    ...(singletonKey !== null && { singletonKey }),
    ...(heartbeatSeconds !== null && { heartbeatSeconds }),
    ...(typeof groupId === 'string' && { group: { id: groupId, ...(typeof groupTier === 'string' && { tier: groupTier }) } }),
  };
}
