import type { ChangeMarks, ChangeStore, Marked, Touched } from '#libs/application';
import { decisionCode, type DecisionKind } from '#libs/domain';
import { ints } from '../arrays.js';
import type { Database } from '../database.js';

/** Several: one that was begun before the newest, and is committed after it, is seen too. */
const newest = (table: string): string => `(SELECT string_agg(review_id::text, ',') FROM (SELECT review_id FROM jobwarden.${table} ORDER BY review_id DESC LIMIT 20) newest)`;

/**
 * Counters, newest keys, and small tables that are read whole. What has no events in the log is only compared with what it was
 * before, so any text will do that changes with it. Of signals those that go on are few, and have an index; one that is over leaves
 * them. A maintenance window begins and ends by the time as well.
 */
const MARKS = `
SELECT (SELECT array_agg(number ORDER BY shard) FROM jobwarden.shards) AS numbers,
  (SELECT coalesce(max(verdict_id), 0) FROM jobwarden.verdicts) AS verdict,
  (SELECT concat_ws('/', count(*), count(ended_ms), sum(redriven), sum(refused)) FROM jobwarden.redrives) AS redrive,
  (SELECT max(run_id)::text FROM jobwarden.reconciliations) AS run,
  (SELECT max(quarantine_id)::text FROM jobwarden.quarantine) AS quarantine,
  concat_ws('/', ${newest('dead_letter_reviews')}, ${newest('dead_letter_pattern_reviews')},
    (SELECT sum(number) FROM jobwarden.dead_letter_readers)) AS dead_letters,
  concat_ws('/', (SELECT max(answer_id) FROM jobwarden.postmortem_answers), (SELECT count(*) FROM jobwarden.postmortem_signatures),
    (SELECT concat_ws(',', count(*), count(done_ms)) FROM jobwarden.follow_ups)) AS incident,
  concat_ws('/', (SELECT concat_ws(',', count(*), max(set_ms)) FROM jobwarden.queue_levels), (SELECT max(set_ms) FROM jobwarden.queue_gates),
    (SELECT concat_ws(',', actions_enabled, actions_reason) FROM jobwarden.installation)) AS installation,
  concat_ws('/', (SELECT max(signal_id) FROM jobwarden.signals),
    (SELECT sum(hashtextextended(concat_ws('/', signal_id, times, incident_id, settled), 0)) FROM jobwarden.signals WHERE resolved_ms IS NULL)) AS signal,
  (SELECT concat_ws('/', max(window_id), count(ended_ms),
      count(*) FILTER (WHERE from_ms <= n.ms), count(*) FILTER (WHERE until_ms <= n.ms))
    FROM jobwarden.maintenance_windows, (SELECT jobwarden.lane_now() AS ms) n) AS maintenance,
  (SELECT refusals_version::text FROM jobwarden.installation) AS revision`;

const TOUCHED = `
SELECT q.namespace, q.queue, j.job_id AS id, bool_or(e.type = ANY($3::smallint[])) AS letters
FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS w (after, up_to, nth)
JOIN jobwarden.events e ON e.shard = (w.nth - 1)::smallint AND e.number > w.after AND e.number <= w.up_to
JOIN jobwarden.jobs j ON j.job_key = e.job_key
JOIN jobwarden.queues q ON q.queue_id = j.queue_id
GROUP BY 1, 2, 3`;

const STEPS = `
SELECT DISTINCT i.incident_id::text AS id, q.namespace, q.queue
FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS w (after, up_to, nth)
JOIN jobwarden.incident_steps s ON s.shard = (w.nth - 1)::smallint AND s.number > w.after AND s.number <= w.up_to
JOIN jobwarden.incidents i ON i.incident_id = s.incident_id
LEFT JOIN jobwarden.queues q ON q.queue_id = i.queue_id`;

const JUDGED = `
SELECT DISTINCT q.namespace, q.queue FROM jobwarden.verdicts v JOIN jobwarden.queues q ON q.queue_id = v.queue_id
WHERE v.verdict_id > $1 LIMIT $2`;

/** Into the dead letters, or out of them. */
const LETTERS = (['dead-lettered', 'redriven', 'resolved-by-hand', 'discarded'] as const satisfies readonly DecisionKind[]).map(decisionCode);

type MarksRow = Readonly<Record<Exclude<Marked, 'dead-letters'> | 'dead_letters', string | null>> & {
  readonly numbers: readonly string[] | null;
  readonly verdict: number;
};

export class PgChangeStore implements ChangeStore {
  constructor(private readonly database: Database) {}

  async marks(): Promise<ChangeMarks> {
    const [row] = await this.database.prepared<MarksRow>('change_marks', MARKS, []);
    const { numbers, verdict, dead_letters: letters, ...others } = row ?? ({} as Partial<MarksRow>);
    const text = (value: string | null | undefined) => value ?? '';
    return {
      // Elements of an array come as text.
      numbers: (numbers ?? []).map(Number),
      verdict: verdict ?? 0,
      others: {
        redrive: text(others.redrive),
        run: text(others.run),
        quarantine: text(others.quarantine),
        'dead-letters': text(letters),
        incident: text(others.incident),
        installation: text(others.installation),
        signal: text(others.signal),
        maintenance: text(others.maintenance),
        revision: text(others.revision),
      },
    };
  }

  async touched(after: readonly number[], upTo: readonly number[]): Promise<Touched> {
    const within = [ints(after), ints(upTo)];
    const [jobs, incidents] = await Promise.all([
      this.database.prepared<Touched['jobs'][number]>('change_jobs', TOUCHED, [...within, ints(LETTERS)]),
      this.database.prepared<Touched['incidents'][number]>('change_steps', STEPS, within),
    ]);
    return { jobs, incidents };
  }

  async judged(after: number, limit: number): Promise<readonly { readonly namespace: string; readonly queue: string }[]> {
    return await this.database.prepared('change_verdicts', JUDGED, [after, limit]);
  }
}
