import type { JobFact } from '@jobwarden/client';
import { describe, expect, it } from 'vitest';
import { parseRunId, runId } from '../run-id.js';
import type { Row } from './row.js';
import { Translation } from './translate.js';

const ID = '0b2e9c7e-9b7c-4e6e-8d52-0f8d2f1f9a11';
const CREATED = 1_764_470_000_000;
const CONTEXT = { queue: 'emails', payload: false };

function row(values: Partial<Row> = {}): Row {
  return {
    ...{ id: ID, state: 'created', retryCount: 0, createdMs: CREATED, startAfterMs: CREATED, startedMs: null, completedMs: null },
    ...{ expireMs: 900_000, beatMs: null, beatEveryMs: null, output: null, data: null },
    ...values,
  };
}
const active = (values: Partial<Row> = {}) => row({ state: 'active', startedMs: CREATED + 1_000, ...values });

const dataOf = (fact: JobFact | undefined) => (fact?.data ?? {}) as Readonly<Record<string, unknown>>;
function gist(facts: readonly JobFact[]): string[] {
  return facts.map((fact) => {
    const { attempt, retryable } = dataOf(fact);
    const end = retryable === undefined ? '' : retryable === true ? ', again' : ', for good';
    return `${fact.type}${typeof attempt === 'number' ? ` ${String(attempt)}` : ''}${end}`;
  });
}
function told(...rows: readonly Row[]): JobFact[] {
  const translation = new Translation(CONTEXT);
  return rows.flatMap((each, i) => translation.take(each, CREATED + 2_000 + i * 1_000));
}

describe('a job of pg-boss', () => {
  it('is a run of its own, by its id and when it was created', () => {
    const jobId = runId({ nativeId: ID, createdMs: CREATED });
    expect(jobId).toBe(`${ID}@1764470000000`);
    expect(parseRunId(jobId)).toEqual({ nativeId: ID, createdMs: CREATED });
    expect(parseRunId('7@1764470000000')).toBeNull();
  });

  it('that comes and goes is queued, started, succeeded, however much of it is seen', () => {
    const done = row({ state: 'completed', startedMs: CREATED + 1_000, completedMs: CREATED + 1_250 });
    expect(gist(told(row(), active(), active(), done))).toEqual(['queued', 'started 1', 'heartbeat 1', 'succeeded 1']);
    expect(gist(told(done))).toEqual(['queued', 'started 1', 'succeeded 1']);
    expect(dataOf(told(done).at(-1))).toEqual({ attempt: 1, durationMs: 250 });
  });

  it('has a lease that ends when pg-boss would take it back', () => {
    expect(dataOf(told(active({ expireMs: 60_000 })).at(-1))).toEqual({ attempt: 1, leaseMs: 59_000 });
    const beats = (beatMs: number) => active({ beatMs, beatEveryMs: 30_000 });
    const facts = told(beats(CREATED + 1_000), beats(CREATED + 1_000), beats(CREATED + 3_500));
    expect(gist(facts)).toEqual(['queued', 'started 1', 'heartbeat 1', 'heartbeat 1']);
    expect(facts.slice(-2).map((fact) => dataOf(fact)['leaseMs'])).toEqual([29_000, 29_500]);
  });

  it('that fails is tried again, or given up, as its row says', () => {
    const error = { name: 'TypeError', message: 'no such address', stack: 'TypeError: no such address\n    at send' };
    const retry = row({ state: 'retry', startedMs: CREATED + 1_000, startAfterMs: CREATED + 31_000, output: error });
    const facts = told(active(), retry, retry, active({ retryCount: 1 }), row({ state: 'failed', retryCount: 1, startedMs: CREATED + 32_000, completedMs: CREATED + 33_000, output: error }));
    expect(gist(facts)).toEqual(['queued', 'started 1', 'heartbeat 1', 'failed 1, again', 'started 2', 'heartbeat 2', 'failed 2, for good']);
    expect(dataOf(facts[3])).toMatchObject({ error: { class: 'TypeError', message: 'no such address' }, retryAfterMs: 30_000 });
  });

  it.each(['job timed out', 'job heartbeat timeout'])('whose worker is silent (%s) has no end in that attempt', (message) => {
    const output = { value: { message } };
    expect(gist(told(active(), row({ state: 'retry', startedMs: CREATED + 1_000, output }), active({ retryCount: 1 })))).toEqual(['queued', 'started 1', 'heartbeat 1', 'started 2', 'heartbeat 2']);
    const given = row({ state: 'failed', startedMs: CREATED + 1_000, completedMs: CREATED + 9_000, output });
    expect(gist(told(active(), given))).toEqual(['queued', 'started 1', 'heartbeat 1', 'failed 2, for good']);
  });

  it('says when it may begin, unless a retry has written over that', () => {
    expect(dataOf(told(row({ startAfterMs: CREATED + 3_600_000 }))[0])).toEqual({ notBefore: new Date(CREATED + 3_600_000).toISOString() });
    expect(gist(told(row({ state: 'retry', retryCount: 0, startedMs: CREATED + 1_000 })))).toEqual(['started 1', 'failed 1, again']);
  });

  it('is cancelled where pg-boss says so, or where its row is gone', () => {
    expect(gist(told(row(), row({ state: 'cancelled', completedMs: CREATED + 5_000 })))).toEqual(['queued', 'cancelled']);
    const translation = new Translation(CONTEXT);
    translation.take(row(), CREATED);
    expect(gist(translation.gone(ID, CREATED + 9_000))).toEqual(['cancelled']);
    expect(translation.gone(ID, CREATED + 9_000)).toEqual([]);
  });

  it('keeps its payload unless somebody asks for it', () => {
    const secret = row({ data: { secret: 1 } });
    expect(JSON.stringify(told(secret))).not.toContain('secret');
    expect(dataOf(new Translation({ ...CONTEXT, payload: true }).take(secret, CREATED)[0])['payload']).toEqual({ secret: 1 });
  });
});
