import type { JobWrite } from '#libs/application';
import type { Connection } from '../database.js';
import { int4s, int8s, keys, texts } from './binary-arrays.js';
import * as sql from './verdict-statements.js';

const WORDS = ['kind', 'verdict', 'reason', 'action', 'level', 'decision', 'thresholdSource', 'state'] as const;

/**
 * What was said of jobs, and what has become of what was said before. All statements are handed to the connection before
 * the first `await`, and so carried out in this order: an approval is settled before its verdict
 * is said anew, or what still stands lapses.
 */
export async function writeVerdicts(tx: Connection, writes: readonly JobWrite[], laneMs: number): Promise<void> {
  const steps: Promise<unknown>[] = [];
  const settled = writes.flatMap((w) => w.settled);
  if (settled.length > 0) {
    steps.push(
      tx.changed('settle_verdicts', sql.SETTLE_VERDICTS, [
        int8s(settled, (s) => s.verdictId),
        texts(settled, (s) => s.state),
        texts(settled, (s) => s.refusal),
      ]),
    );
  }
  const verdicts = writes.flatMap((w) => w.verdicts.map((v) => ({ ...v, key: w.job.keyHex, queueId: w.job.queueId })));
  if (verdicts.length > 0) {
    steps.push(
      tx.changed('upsert_verdicts', sql.UPSERT_VERDICTS, [
        keys(verdicts, (v) => v.key),
        int4s(verdicts, (v) => v.queueId),
        int4s(verdicts, (v) => v.attempt),
        ...WORDS.map((field) => texts(verdicts, (v) => v[field])),
        int8s(verdicts, (v) => v.thresholdMs),
        int8s(verdicts, (v) => v.confirmAfterMs),
        texts(verdicts, (v) => v.worker),
        laneMs,
      ]),
    );
  }
  const grades = writes.flatMap((w) => w.grades.map((g) => ({ key: w.job.keyHex, ...g })));
  if (grades.length > 0) {
    steps.push(
      tx.changed('grade_verdicts', sql.GRADE_VERDICTS, [
        keys(grades, (g) => g.key),
        int4s(grades, (g) => g.attempt),
        texts(grades, (g) => g.sign),
        laneMs,
      ]),
    );
  }
  const lapsed = writes.filter((w) => w.lapses);
  if (lapsed.length > 0) steps.push(tx.changed('lapse_verdicts', sql.LAPSE_VERDICTS, [keys(lapsed, (w) => w.job.keyHex)]));
  await Promise.all(steps);
}
