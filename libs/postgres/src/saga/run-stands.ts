import type { RunAt } from '#libs/application';
import type { Queryable } from '../database.js';

const SHARE = 'SELECT incident_id FROM jobwarden.incidents WHERE incident_id = $1 FOR SHARE';
const ALONE = 'SELECT incident_id FROM jobwarden.incidents WHERE incident_id = $1 FOR UPDATE';
/** Behind the lock, in a statement of its own: one that has waited for it would not see what it has waited for. */
const LAST = 'SELECT max(n) AS n FROM jobwarden.incident_steps WHERE incident_id = $1';

/** Whether its last step is the one that it was judged on; nobody adds another one before the end of the transaction. `alone`: nor does anything else for it. */
export async function runStands(tx: Queryable, { incidentId, n }: RunAt, { alone = false }: { readonly alone?: boolean } = {}): Promise<boolean> {
  await tx.query(alone ? ALONE : SHARE, [incidentId]);
  const [last] = await tx.query<{ n: number | null }>(LAST, [incidentId]);
  return last?.n === n;
}
