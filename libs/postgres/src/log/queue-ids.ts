import type { JobRef } from '#libs/domain';
import { texts } from '../arrays.js';
import type { Database } from '../database.js';

const FIND = `
SELECT q.queue_id, q.namespace, q.queue FROM jobwarden.queues q
JOIN unnest($1::text[], $2::text[]) AS w (namespace, queue) USING (namespace, queue)`;
const MAKE = `
INSERT INTO jobwarden.queues (namespace, queue)
SELECT DISTINCT namespace, queue FROM unnest($1::text[], $2::text[]) AS w (namespace, queue)
ORDER BY namespace, queue ON CONFLICT DO NOTHING`;

type Named = Pick<JobRef, 'namespace' | 'queue'>;

/** Small numbers for queue names. Never deleted, so what was once read stays true. */
export class QueueIds {
  private readonly ids = new Map<string, number>();

  constructor(private readonly database: Database) {}

  /** By `namespace NUL queue`; makes the missing ones. */
  async of(queues: readonly Named[]): Promise<ReadonlyMap<string, number>> {
    const missing = new Map<string, Named>();
    for (const q of queues) {
      const key = `${q.namespace}\0${q.queue}`;
      if (!this.ids.has(key)) missing.set(key, q);
    }
    if (missing.size > 0) await this.load([...missing.values()]);
    return this.ids;
  }

  private async load(queues: readonly Named[]): Promise<void> {
    const names = [texts(queues.map((q) => q.namespace)), texts(queues.map((q) => q.queue))];
    await this.database.query(MAKE, names);
    const rows = await this.database.query<{ queue_id: number; namespace: string; queue: string }>(FIND, names);
    for (const r of rows) this.ids.set(`${r.namespace}\0${r.queue}`, r.queue_id);
  }
}
