import { INSTALLATION, RetryableError, type GuardsRead, type QueueGuard, type WriteSet } from '#libs/application';
import { ints } from '../arrays.js';
import type { Connection } from '../database.js';

const READ = `
SELECT w.queue_id, g.blackout_ms, g.probing_ms, g.probed_ms, g.probes_left, b.tokens, b.at_ms, b.tail_ms, o.gate,
       (SELECT json_agg(json_build_object('action', l.action, 'level', l.level, 'fileLevel', l.file_level)) FROM jobwarden.queue_levels l WHERE l.queue_id = w.queue_id) AS levels
FROM unnest($1::integer[]) AS w (queue_id)
LEFT JOIN jobwarden.queue_guards g ON g.queue_id = w.queue_id
LEFT JOIN jobwarden.budgets b ON b.queue_id = w.queue_id
LEFT JOIN jobwarden.queue_gates o ON o.queue_id = w.queue_id`;

/** What a bucket holds at $2, before anything is taken: never more than its burst. */
const HELD = 'least($6::double precision, tokens + greatest(0, $2::bigint - at_ms) * $5::double precision / 1000)';
/** Two programs add up the same fractions in their own order: no bucket is a token short for that. */
const TAKE = `
UPDATE jobwarden.budgets SET tokens = ${HELD} - $3::double precision, at_ms = greatest(at_ms, $2::bigint), tail_ms = $4
WHERE queue_id = $1 AND ${HELD} >= $3::double precision - 0.000001`;
const PROBE = `
UPDATE jobwarden.queue_guards SET probes_left = probes_left - $2
WHERE queue_id = $1 AND probing_ms IS NOT NULL AND probes_left >= $2`;
/** A bucket that nobody has taken from is full. */
const MAKE = `
INSERT INTO jobwarden.budgets (queue_id, tokens, at_ms, tail_ms)
VALUES ($1, $5::double precision - $3::double precision, $2, $4) ON CONFLICT (queue_id) DO NOTHING`;

interface GuardRow {
  readonly queue_id: number;
  readonly blackout_ms: number | null;
  readonly probing_ms: number | null;
  readonly probed_ms: number | null;
  readonly probes_left: number | null;
  readonly tokens: number | null;
  readonly at_ms: number | null;
  readonly tail_ms: number | null;
  readonly gate: QueueGuard['gate'];
  readonly levels: QueueGuard['levels'] | null;
}

/** Without a lock: what is taken is checked again when it is taken. */
export async function readGuards(tx: Connection, queueIds: readonly number[]): Promise<GuardsRead> {
  const ids = [...new Set([INSTALLATION, ...queueIds])];
  const rows = await tx.prepared<GuardRow>('guards_read', READ, [ints(ids)]);
  return new Map(
    rows.map((row) => {
      const { blackout_ms: blackoutMs, tokens, at_ms: atMs, tail_ms: tailMs } = row;
      const probing = row.probing_ms === null ? null : { left: row.probes_left ?? 0, probedMs: row.probed_ms ?? 0 };
      const none = tokens === null || atMs === null || tailMs === null;
      return [row.queue_id, { blackoutMs, probing, bucket: none ? null : { tokens, atMs, tailMs }, gate: row.gate, levels: row.levels ?? [] }];
    }),
  );
}

/**
 * Takes what a transaction spends, bucket after bucket in the order given, and holds it to the commit. Where somebody
 * else has emptied one since it was read, nothing is taken: the transaction is repeated on what there is.
 */
export async function takeTokens(
  tx: Connection,
  { spends, probes }: Required<Pick<WriteSet<unknown>, 'spends' | 'probes'>>,
  laneMs: number,
): Promise<void> {
  const taken = await Promise.all([
    ...probes.map(({ queueId, probes: count }) => tx.changed('probes_take', PROBE, [queueId, count])),
    ...spends.map(({ queueId, budget, tokens, tailMs, known }) => {
      const values = [queueId, laneMs, tokens, Math.round(tailMs)];
      if (!known) return tx.changed('budget_make', MAKE, [...values, budget.burst]);
      return tx.changed('budget_take', TAKE, [...values, budget.perSecond, budget.burst]);
    }),
  ]);
  if (taken.some((count) => count === 0)) throw new RetryableError('conflict', 'another replica has spent the budget');
}
