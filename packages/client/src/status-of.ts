import type { Client } from './client.js';
import type { JobRef } from './contract.js';
import { RefusedCallError, UnreachableError } from './errors.js';

/** Where a job stands; `retired` below the retention line; null: nobody answered, or nothing is known of it. */
export async function statusOf(client: Client, job: JobRef): Promise<string | null> {
  try {
    return (await client.job(job))?.status ?? null;
  } catch (error) {
    if (error instanceof RefusedCallError) return error.code === 'retired' ? 'retired' : null;
    if (error instanceof UnreachableError) return null;
    throw error;
  }
}
