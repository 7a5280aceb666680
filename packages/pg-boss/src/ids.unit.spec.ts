import { describe, expect, it } from 'vitest';
import { unpacked, withCarried, withTrace } from './carried.js';
import { grantedRowId } from './granted-id.js';
import { parseRunId, runId } from './run-id.js';
import { nextStartOf, startOf } from './start.js';

const nativeId = '7f9c1c1e-0b1a-4c57-9f0e-0d9a4b1f2c3d';
const createdOn = new Date(1_764_470_000_123);

describe('ids of pg-boss jobs', () => {
  it('make a round trip, and what is no pg-boss job is refused', () => {
    const jobId = runId({ nativeId, createdMs: createdOn.getTime() });
    expect(jobId).toBe(`${nativeId}@1764470000123`);
    expect(parseRunId(jobId)).toEqual({ nativeId, createdMs: 1_764_470_000_123 });
    for (const other of ['42@1764470000123', nativeId, `${nativeId}@`, `${nativeId}@007`, `x${jobId}`]) expect(parseRunId(other)).toBeNull();
  });

  it('of a granted attempt are UUIDs that differ in each of its parts, and in nothing else', () => {
    const granted = { queue: 'q', jobId: 'j', attempt: 2, token: 3 };
    const others = [{ ...granted, queue: 'r' }, { ...granted, jobId: 'k' }, { ...granted, attempt: 3 }, { ...granted, token: 4 }];
    expect(grantedRowId(granted)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u);
    expect(grantedRowId({ ...granted })).toBe(grantedRowId(granted));
    expect(new Set([granted, ...others].map(grantedRowId)).size).toBe(5);
  });

  it('and attempts stay one run over the starts that pg-boss and commands give a row', () => {
    const row = { id: nativeId, name: 'q', data: { to: 'ada' } as unknown, createdOn, retryCount: 1, startedOn: createdOn as Date | null };
    expect(startOf(row)).toMatchObject({ jobId: `${nativeId}@1764470000123`, queue: 'q', attempt: 2, first: false, payload: { to: 'ada' }, trace: null });
    expect(nextStartOf({ ...row, retryCount: 0, startedOn: null })).toMatchObject({ attempt: 1, first: true });
    expect(nextStartOf(row).attempt).toBe(3);
    const data = withCarried({ to: 'ada' }, { row: nativeId, jobId: 'j', attempt: 5, token: 7, retryCount: 2 });
    expect(nextStartOf({ ...row, data })).toEqual({ jobId: 'j', queue: 'q', attempt: 5, token: 7, first: false, payload: { to: 'ada' }, trace: null });
    expect(startOf({ ...row, data, retryCount: 3 })).toEqual({ jobId: 'j', queue: 'q', attempt: 6, first: false, payload: { to: 'ada' }, trace: null });
  });

  it('of a copy in a dead letter queue are its own, and its payload is the producer’s', () => {
    const data = withCarried({ to: 'ada' }, { row: nativeId, jobId: 'j', attempt: 5, token: 7, retryCount: 2 });
    const copy = { id: '00000000-0000-4000-8000-000000000001', name: 'graves', data, createdOn, retryCount: 0, startedOn: null };
    expect(nextStartOf(copy)).toEqual({ jobId: `${copy.id}@1764470000123`, queue: 'graves', attempt: 1, first: true, payload: { to: 'ada' }, trace: null });
  });

  it.each([{ to: 'ada' }, {}, null, 7, 'text', [1, 2], { $jobwarden: 'theirs' }])('leave the payload %j as it was', (payload) => {
    expect(unpacked({ id: nativeId, data: payload })).toEqual({ carried: null, payload, trace: null });
    if (JSON.stringify(payload).includes('theirs')) return;
    const data: unknown = JSON.parse(JSON.stringify(withCarried(payload, { row: nativeId, jobId: 'j', attempt: 2, retryCount: 1 })));
    expect(unpacked({ id: nativeId, data }).payload).toEqual(payload);
    const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    const traced = unpacked({ id: nativeId, data: withTrace(payload, trace) });
    expect([traced.payload, traced.trace ?? trace]).toEqual([payload, trace]);
  });
});
