import type { JobWithMetadata, PgBoss } from 'pg-boss';

export type Row = JobWithMetadata<unknown>;

/** One row by its primary key; null: there is none (any more). */
export async function rowOf(boss: PgBoss, queue: string, id: string): Promise<Row | null> {
  const [row] = await boss.findJobs<unknown>(queue, { id });
  return row ?? null;
}

/** How many rows a call of pg-boss has changed: it answers that, and its types do not say so. */
export function affectedBy(response: object): number {
  return (response as { readonly affected?: number }).affected ?? 0;
}
