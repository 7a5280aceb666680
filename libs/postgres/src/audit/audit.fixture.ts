import { expect } from 'vitest';
import { Audit, type AuditReport } from '#libs/application';
import type { World } from '#libs/testing';
import { PgAuditStore } from './pg-audit-store.js';

export const SHARDS = 16;

export function auditOf(world: World): Audit {
  return new Audit(new PgAuditStore(world.database, SHARDS));
}

/** Jobs of every sort: succeeded, failed, dead-lettered, requeued, running; of two kinds and none. */
export async function history(world: World, prefix: string, jobs = 12): Promise<readonly string[]> {
  const ids = Array.from({ length: jobs }, (_, i) => `${prefix}-${i}`);
  for (const [i, job] of ids.entries()) {
    const worker = { worker: { id: `w${i % 3}` } };
    const error = { class: 'E', message: 'no' };
    await world.send(
      // Every fourth job is heard of before it is queued: its kind comes late.
      ...(i % 4 === 0 ? [] : [{ type: 'queued', job, kind: i % 2 === 0 ? 'even' : 'odd' }]),
      { type: 'started', job, ...worker },
      ...(i % 3 === 0 ? [{ type: 'succeeded', job, durationMs: 1_000 * (i + 1), ...worker }] : []),
      ...(i % 3 === 1 ? [{ type: 'failed', job, error, retryable: i % 2 === 0, ...worker }] : []),
      ...(i % 4 === 0 ? [{ type: 'queued', job, kind: 'late' }] : []),
    );
  }
  await world.read();
  await world.run();
  return ids;
}

export async function expectClean(world: World): Promise<AuditReport> {
  const report = await auditOf(world).run({ scope: 'all' });
  expect(report.findings).toEqual([]);
  expect(report.differences).toBe(0);
  return report;
}
