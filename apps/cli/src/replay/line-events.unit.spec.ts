import { describe, expect, it } from 'vitest';
import type { HistoryLine } from './history.js';
import { eventsOfLine, type TimedEvent } from './line-events.js';
import { readMapping, type Mapping } from './mapping.js';

function mapping(...parts: string[]): Mapping {
  const read = readMapping(['id=id', 'queue=q', 'queued=a', 'started=b', 'ended=c', 'unit=s', ...parts]);
  if (!read.ok) throw new Error(read.faults.join('\n'));
  return read.value;
}

function line(values: Record<string, string>): HistoryLine {
  return { line: 7, value: (column) => ({ id: 'j', q: 'mail', ...values })[column] ?? '' };
}

function eventsOf(values: Record<string, string>, map: Mapping): readonly TimedEvent[] {
  const read = eventsOfLine(line(values), map);
  if (!read.ok) throw new Error(read.fault);
  return read.events;
}

function faultOf(values: Record<string, string>, map: Mapping): string {
  const read = eventsOfLine(line(values), map);
  return read.ok ? '' : read.fault;
}

const all = mapping('outcomeDefault=succeeded');

describe('the events of a line', () => {
  it('are queued, started and the end, under ids of the job’s own', () => {
    expect(eventsOf({ a: '1', b: '2', c: '5' }, all).map((e) => e.event)).toEqual([
      {
        specversion: '1.0',
        id: 'j/queued',
        source: 'jobwarden-replay',
        subject: 'j',
        type: 'jobwarden.job.queued.v1',
        time: '1970-01-01T00:00:01.000Z',
        data: { queue: 'mail' },
      },
      {
        specversion: '1.0',
        id: 'j/started/1',
        source: 'jobwarden-replay',
        subject: 'j',
        type: 'jobwarden.job.started.v1',
        time: '1970-01-01T00:00:02.000Z',
        data: { queue: 'mail', attempt: 1, worker: { id: 'replay' } },
      },
      {
        specversion: '1.0',
        id: 'j/ended/1',
        source: 'jobwarden-replay',
        subject: 'j',
        type: 'jobwarden.job.succeeded.v1',
        time: '1970-01-01T00:00:05.000Z',
        data: { queue: 'mail', attempt: 1, worker: { id: 'replay' }, durationMs: 3_000 },
      },
    ]);
  });

  it('send an end that lies before its start right after the start, with its own time and a negative duration', () => {
    const [, started, ended] = eventsOf({ a: '1', b: '10', c: '4' }, all);
    expect(ended).toMatchObject({
      atMs: started!.atMs,
      event: { time: '1970-01-01T00:00:04.000Z', data: { durationMs: -6_000 } },
    });
  });

  it('leave out what a line does not say', () => {
    expect(eventsOf({ a: '1' }, mapping()).map((e) => e.kind)).toEqual(['queued']);
    expect(
      eventsOf({ a: '1', b: '2', c: '5', phase: 'Running' }, mapping('outcome=phase', 'succeeded=Done')).map(
        (e) => e.kind,
      ),
    ).toEqual(['queued', 'started']);
    expect(eventsOf({ c: '5' }, all).map((e) => e.event['data'])).toEqual([{ queue: 'mail', attempt: 1 }]);
  });

  it('tell failures with what the history knows of them', () => {
    const map = mapping(
      'outcome=phase',
      'failed=Failed,Evicted',
      'retryable=false',
      'errorMessage=why',
      'attempt=try',
      'namespace=acme',
      'kind=k',
    );
    const [queued, , failed] = eventsOf(
      { a: '1', b: '2', c: '3', phase: 'Evicted', why: 'no room', try: '3', k: 'big' },
      map,
    );
    expect(queued?.event).toMatchObject({ namespace: 'acme', data: { kind: 'big' } });
    expect(failed?.event).toMatchObject({
      id: 'j/ended/3',
      type: 'jobwarden.job.failed.v1',
      data: { attempt: 3, error: { class: 'Evicted', message: 'no room' }, retryable: false },
    });
  });

  it('count numeric times from the origin, and add columns up', () => {
    const map = mapping('origin=2020-01-01T00:00:00Z', 'started=a+b');
    expect(eventsOf({ a: '60', b: '1.5' }, map)[1]?.event['time']).toBe('2020-01-01T00:01:01.500Z');
  });

  it('name a long job by its hash, as event ids have a limit of their own', () => {
    const [queued] = eventsOf({ id: 'x'.repeat(2_000), a: '1' }, mapping());
    expect(queued?.event['id']).toMatch(/^[0-9a-f]{64}\/queued$/);
    expect(queued?.event['subject']).toHaveLength(2_000);
  });

  it('are none where a line is broken, with every reason', () => {
    expect(faultOf({ id: '', q: '', a: 'soon' }, all)).toBe(
      'column id (job id) is empty; column q (queue) is empty; queueDefault would name one; a "soon" is no time (unit s)',
    );
    expect(faultOf({ a: '1' }, all)).toBe('it succeeded, but has no time of the end');
    expect(faultOf({}, mapping())).toBe('it has no time at all');
    expect(faultOf({ a: '1', n: '0' }, mapping('attempt=n'))).toContain('not a number from 1');
    expect(faultOf({ a: '9e15' }, mapping())).toContain('is no time');
  });
});
