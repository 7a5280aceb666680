import { describe, expect, it } from 'vitest';
import { ANOMALY_CODES, type AnomalyCode } from './anomalies.js';
import { DECISION_KINDS, isBearing, isByHand, type DecisionKind } from '../events/decisions.js';
import { foldJob, type JobEvent } from '../fold/fold.js';
import { DECISION_COLUMNS, FACT_AND_DECISION, FACT_COLUMNS, TWO_DECISIONS, TWO_FACTS } from './pairs.expected.js';
import { decisionName, decisionPairs, FACT_NAMES, factDecisionPairs, factPairs, judge, pairsTable, type Pair } from './pairs.js';
import { JOB_STATUSES, viewOf, type JobStatus } from './view.js';

const ANOMALIES: Record<string, AnomalyCode> = {
  ...{ Q: 'queued_again', T: 'two_successes', D: 'success_after_dead_letter', C: 'success_after_cancel' },
  ...{ X: 'cancel_after_end', B: 'ended_before_started', A: 'clock_absurd', U: 'attempt_unknown' },
  F: 'failed_and_succeeded',
};
const STATUSES: Record<string, JobStatus> = {
  ...{ que: 'queued', pro: 'processing', rst: 'restart-requested', fai: 'failed', ret: 'retrying', req: 'requeued' },
  ...{ inc: 'incomplete', suc: 'succeeded', dea: 'dead-lettered', can: 'cancelled', dis: 'discarded' },
};

function namesBy(columns: string, names: readonly string[]): ReadonlyMap<string, string> {
  const codes = columns.split(' ');
  expect(codes).toHaveLength(names.length);
  return new Map(codes.map((code, i) => [code, names[i] ?? code]));
}

/** `a + b` → `status; anomalies`, from a table whose cells are aligned to the right end of their row. */
function expectedOf(table: string, rowNames: ReadonlyMap<string, string>, columnNames: ReadonlyMap<string, string>) {
  const [head = [], ...rows] = table.trim().split('\n').map((line) => line.trim().split(/\s+/));
  expect(head).toEqual([...columnNames.keys()]);
  expect(rows.map(([code]) => code)).toEqual([...rowNames.keys()]);
  const expected = new Map<string, string>();
  for (const [row = '', ...cells] of rows) {
    const columns = head.slice(head.length - cells.length);
    cells.forEach((cell, i) => {
      const key = `${rowNames.get(row) ?? row} + ${columnNames.get(columns[i] ?? '') ?? ''}`;
      expected.set(key, shown(STATUSES[cell.slice(0, 3)], cell.slice(3).split('').map((c) => ANOMALIES[c])));
    });
  }
  return expected;
}

function shown(status: string | undefined, anomalies: readonly (string | undefined)[]): string {
  return [status, ...anomalies.toSorted()].join(' ');
}

const facts = namesBy(FACT_COLUMNS, FACT_NAMES);
const decisions = namesBy(DECISION_COLUMNS, DECISION_KINDS.map(decisionName));
const tables: readonly (readonly [string, Pair[], ReadonlyMap<string, string>])[] = [
  ['two facts', factPairs(), expectedOf(TWO_FACTS, facts, facts)],
  ['a fact and a decision', factDecisionPairs(), expectedOf(FACT_AND_DECISION, facts, decisions)],
  ['two decisions', decisionPairs(), expectedOf(TWO_DECISIONS, decisions, decisions)],
];

type Judge = typeof judge;

function differences(pairs: readonly Pair[], expected: ReadonlyMap<string, string>, by: Judge): string[] {
  return pairs.flatMap(({ first, second, events }) => {
    const key = `${first} + ${second}`;
    const found = [events, events.toReversed(), [...events, ...events]].map((arrived) => {
      const { status, anomalies } = by(arrived);
      return shown(status, anomalies);
    });
    const want = expected.get(key) ?? 'not written down';
    return found.filter((f) => f !== want).map((f) => `${key}: expected ${want}, found ${f}`);
  });
}

describe.each(tables)('the table of pairs: %s', (_, pairs, expected) => {
  it('is what was written by hand from the page, in either order and with every event twice', () => {
    expect(differences(pairs, expected, judge)).toEqual([]);
    expect(expected.size).toBe(pairs.length);
  });
});

describe('the table as a whole', () => {
  const cells = tables.flatMap(([, , expected]) => [...expected.values()]);

  it('has every status and every anomaly that two events can make', () => {
    expect(new Set(cells.map((cell) => cell.split(' ')[0]))).toEqual(new Set(JOB_STATUSES));
    const codes = new Set(cells.flatMap((cell) => cell.split(' ').slice(1)));
    // More starts than fit take more than two events.
    expect(codes).toEqual(new Set(ANOMALY_CODES.filter((code) => code !== 'starts_overflow')));
  });

  it('is shown pair by pair', () => {
    const lines = pairsTable().split('\n').filter((line) => line.startsWith('| '));
    expect(lines).toContain('| succeeded 1 | dead-lettered 1 | succeeded | success_after_dead_letter |');
    const heads = tables.length;
    expect(lines).toHaveLength(cells.length + heads);
  });
});

const kindsOf = (events: readonly JobEvent[]): DecisionKind[] =>
  events.flatMap((e) => (e.kind === 'decision' ? [e.decision.kind] : []));
const without = (drop: (event: JobEvent, all: readonly JobEvent[]) => boolean): Judge => (events) =>
  judge(events.filter((e) => !drop(e, events)));
const reports = (type: string, all: readonly JobEvent[]) => all.some((e) => e.kind === 'fact' && e.fact.type === type);
const borneBy = (kind: DecisionKind, status: JobStatus): Judge => (events) => {
  const { status: found, anomalies } = judge(events);
  const others = kindsOf(events).some((k) => k !== kind && (isByHand(k) || isBearing(k)));
  const bears = kindsOf(events).includes(kind) && !others && found !== 'succeeded';
  return { status: bears ? status : found, anomalies };
};

/** Each looks right at first sight. The table must say that it is not. */
const wrong: Record<string, Judge> = {
  'a failure over a success': without((e, all) => e.kind === 'fact' && e.fact.type === 'succeeded' && reports('failed', all)),
  'a success over what was decided by hand': without(
    (e, all) => e.kind === 'decision' && isByHand(e.decision.kind) && reports('succeeded', all),
  ),
  'requeued whatever its attempt’s facts say': borneBy('requeued', 'requeued'),
  'restart-requested although its attempt has ended': borneBy('restart-requested', 'restart-requested'),
  'incomplete although it failed for good': borneBy('held-incomplete', 'incomplete'),
  'a retry that its own failure takes away': (events) => {
    const failed = foldJob(events).attempts.get(1)?.outcome != null;
    return judge(failed ? events.filter((e) => !kindsOf([e]).includes('retry-scheduled')) : events);
  },
  'a decision by hand that outlives a redrive': without((e) => kindsOf([e]).includes('redriven')),
  'the lowest number instead of the highest': (events) =>
    judge(events.map((e) => (e.kind === 'decision' ? { ...e, decision: { ...e.decision, n: 9 - e.decision.n } } : e))),
  'attempts that nobody granted': (events) =>
    judge(events.map((e) => (e.kind === 'fact' && 'attempt' in e.fact ? ({ ...e, fact: { ...e.fact, ownerQueue: true } } as JobEvent) : e))),
  'a dead letter that swallows a late success': (events) => {
    const view = viewOf(foldJob(events.filter((e) => !reports('succeeded', [e]))));
    return view.status === 'dead-lettered' ? { ...judge(events), status: view.status } : judge(events);
  },
  'a late success after a dead letter without a word': (events) => {
    const { status, anomalies } = judge(events);
    return { status, anomalies: anomalies.filter((a) => a !== 'success_after_dead_letter') };
  },
};

describe('a wrong precedence', () => {
  it.each(Object.entries(wrong))('is told by the table: %s', (_, by) => {
    expect(tables.flatMap(([, pairs, expected]) => differences(pairs, expected, by))).not.toEqual([]);
  });
});
