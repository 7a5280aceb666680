import { NEWEST_FOLD_VERSION, foldJob, stateToJson, type JobEvent } from '#libs/domain';
import { periodOf } from '#libs/postgres';
import type { Stack } from './stack.js';

/** Lane time at which all of them were started, ms. */
export const STARTED_MS = Date.UTC(2026, 0, 5);
export const LEASE_MS = 30_000;

export interface LiveJobs {
  readonly jobs: number;
  readonly queues: readonly string[];
  /** Of these many jobs each group's leases end at one instant, a group after the other; the others' never do. */
  readonly perGroup: number;
  readonly groups: number;
  /** When the first group's end, and how long after it the next one's. */
  readonly firstDueMs: number;
  readonly everyMs: number;
}

/** What the log would hold of each of them. */
export const LIVE_EVENTS: readonly JobEvent[] = [
  {
    kind: 'fact',
    fact: { type: 'queued', source: '/shop/checkout', id: '4f1c9a7e-queued', laneMs: STARTED_MS - 60_000, kind: 'welcome' },
  },
  {
    kind: 'fact',
    fact: {
      type: 'started',
      source: '/shop/workers',
      id: '4f1c9a7e-started',
      laneMs: STARTED_MS,
      attempt: 1,
      worker: { id: 'worker-1', incarnation: 'a1b2c3', revision: '2026.1.4' },
    },
  },
];

/** A key as the contract makes it: of the job `live-<g>` in its queue. */
const KEY = `substring(sha256(convert_to('7:default' || length(queue) || ':' || queue || length(id) || ':' || id, 'UTF8')) FROM 1 FOR 16)`;

const JOBS = `
WITH live AS MATERIALIZED (
  SELECT g, 'live-' || g AS id, ($2::text[])[1 + g % cardinality($2::text[])] AS queue,
         $8::bigint + CASE WHEN g % $5::integer = 0 AND g / $5::integer < $6::integer
                           THEN (g / $5::integer % $7::integer)::bigint * $9::bigint ELSE 31536000000 END AS due_ms
  FROM generate_series(0, $1::integer - 1) g)
INSERT INTO jobwarden.jobs (job_key, shard, queue_id, period, job_id, kind, status, attempt, n, row_version, fold_version,
                            waits_for, since_ms, look_at_ms, worker, state)
SELECT k.key, get_byte(k.key, 3) % 16, q.queue_id, $3::integer, live.id, 'welcome', 'processing', 1, 0, 1, $10::smallint,
       'lease', $11::bigint, live.due_ms, 'worker-' || g % 500, $4
FROM live CROSS JOIN LATERAL (SELECT ${KEY} AS key) k
JOIN jobwarden.queues q ON q.namespace = 'default' AND q.queue = live.queue`;

const LEASES = `
INSERT INTO jobwarden.leases (job_key, attempt, beat_ms, lease_ms, lane)
SELECT job_key, 1, look_at_ms - $1::bigint, $1::bigint, 0 FROM jobwarden.jobs`;

const COUNTERS = `
INSERT INTO jobwarden.queue_counters (queue_id, shard, processing)
SELECT queue_id, shard, count(*) FROM jobwarden.jobs GROUP BY 1, 2`;

/** Puts running jobs straight into the tables, as a million of them would not get there in the time of a bench. */
export async function loadLiveJobs(stack: Stack, live: LiveJobs): Promise<void> {
  const { database, queueIds } = stack;
  await queueIds.of(live.queues.map((queue) => ({ namespace: 'default', queue })));
  const stride = Math.floor(live.jobs / (live.perGroup * live.groups));
  await database.query(JOBS, [
    live.jobs,
    live.queues,
    periodOf(STARTED_MS),
    stateToJson(foldJob(LIVE_EVENTS)),
    stride,
    live.perGroup * live.groups,
    live.groups,
    live.firstDueMs,
    live.everyMs,
    NEWEST_FOLD_VERSION,
    STARTED_MS,
  ]);
  await database.query(LEASES, [LEASE_MS]);
  await database.query(COUNTERS);
  await database.query('SELECT jobwarden.ensure_period($1)', [periodOf(STARTED_MS)]);
}
