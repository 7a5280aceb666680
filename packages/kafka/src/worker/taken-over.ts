import { RefusedCallError, UnreachableError, type Client, type JobRef } from '@jobwarden/client';
import { waitBeating, type Heartbeat } from './heartbeats.js';

export interface Asking {
  readonly client: Client;
  readonly heartbeat: Heartbeat;
  readonly signal: AbortSignal;
}

/** Jobwarden decides within one look at what is due; where it only observes, nothing is decided at all. */
const LOOKS = 20;
const EVERY_MS = 100;

/** Not decided yet: the attempt's own facts are all there is. */
const UNDECIDED: ReadonlySet<string> = new Set(['queued', 'processing', 'failed', 'restart-requested', 'incomplete']);

/**
 * Whether Jobwarden has decided what becomes of a job that failed: only then may its record be committed, or it would be lost
 * where nobody acts, or where nobody has heard of the failure.
 */
export async function isTakenOver({ client, heartbeat, signal }: Asking, { queue, id }: JobRef): Promise<boolean> {
  for (let looks = 0; looks < LOOKS && !signal.aborted; looks += 1) {
    const status = await statusOf(client, { queue, id });
    if (status !== null && !UNDECIDED.has(status)) return true;
    await waitBeating(EVERY_MS, heartbeat, signal);
  }
  return false;
}

/** null: nobody answered, or nothing is known of it. */
async function statusOf(client: Client, job: JobRef): Promise<string | null> {
  try {
    return (await client.job(job))?.status ?? null;
  } catch (error) {
    if (error instanceof UnreachableError || error instanceof RefusedCallError) return null;
    throw error;
  }
}
