import { describe, expect, it } from 'vitest';
import { actedThere, ACTS_OF_A_RUN, placeSignal, type ActedRun, type ActOfRun } from './cool-down.js';
import { silencedBy, type MaintenanceScope, type MaintenanceWindow } from './maintenance.js';

const window = (id: string, scope: Partial<MaintenanceScope>, more: Partial<MaintenanceWindow> = {}): MaintenanceWindow => ({
  ...{ id, namespace: null, queue: null, target: null, fromMs: 1_000, untilMs: 2_000, reason: 'r', by: 'ada' },
  ...{ madeMs: 0, endedMs: null, endedBy: null, ...scope, ...more },
});
const place = { namespace: 'acme', queue: 'mail', target: 'prod/mail' };
const found = (windows: readonly MaintenanceWindow[], atMs = 1_500) => silencedBy(place, windows, atMs)?.id ?? null;

describe('a maintenance window', () => {
  it.each([
    [{}, true],
    [{ namespace: 'acme' }, true],
    [{ namespace: 'other' }, false],
    [{ namespace: 'acme', queue: 'mail' }, true],
    [{ namespace: 'acme', queue: 'bills' }, false],
    [{ target: 'prod/mail' }, true],
    [{ target: 'prod/bills' }, false],
    [{ namespace: 'other', target: 'prod/mail' }, false],
  ])('of %j silences the queue: %s', (scope, silences) => expect(found([window('w', scope)])).toBe(silences ? 'w' : null));

  it('silences from its beginning to its end, which is not in it, or until it is ended', () => {
    const one = [window('w', {})];
    expect([999, 1_000, 1_999, 2_000].map((atMs) => found(one, atMs))).toEqual([null, 'w', 'w', null]);
    const ended = [window('w', {}, { endedMs: 1_200 })];
    expect([1_199, 1_200].map((atMs) => found(ended, atMs))).toEqual(['w', null]);
  });

  it('is named by the last to end, of several', () => {
    expect(found([window('a', {}, { untilMs: 1_600 }), window('b', {}), window('c', {}, { untilMs: 1_700 })])).toBe('b');
  });
});

describe('a signal', () => {
  const placed = (openIncidentId: string | null, actedMs: number | null, nowMs: number, did: ActOfRun = 'rollback-begun') =>
    placeSignal({ openIncidentId, acted: actedMs === null ? null : { incidentId: '6', did, atMs: actedMs }, coolDownMs: 1_000, byCause: false, thinSinceMs: null }, nowMs);

  it('joins the open incident, within the cool-down too', () => {
    expect(placed('7', 100, 200)).toEqual({ kind: 'joins', incidentId: '7' });
  });

  it('opens nothing before the cool-down is over', () => {
    expect(placed(null, 100, 1_099)).toEqual({ kind: 'suppressed', why: 'cool_down', untilMs: 1_100, looksMs: 1_100, says: 'incident 6 rolled it back a short time ago' });
    for (const did of ACTS_OF_A_RUN) expect(placed(null, 100, 1_099, did)).toMatchObject({ kind: 'suppressed', untilMs: 1_100 });
    expect(placed(null, 100, 1_100)).toEqual({ kind: 'opens' });
    expect(placed(null, null, 0)).toEqual({ kind: 'opens' });
  });

  it('that goes by its cause is looked at again each minute, and at the end', () => {
    const looked = (nowMs: number) => placeSignal({ openIncidentId: null, acted: { incidentId: '6', did: 'would-have', atMs: 0 }, coolDownMs: 90_000, byCause: true, thinSinceMs: null }, nowMs);
    expect([10_000, 40_000].map(looked)).toMatchObject([{ untilMs: 90_000, looksMs: 70_000 }, { untilMs: 90_000, looksMs: 90_000 }]);
    expect(looked(90_000)).toEqual({ kind: 'opens' });
  });

  it('of which nothing is known yet gets one more look, and opens then', () => {
    const looked = (nowMs: number, coolDownMs = 1_800_000) =>
      placeSignal({ openIncidentId: null, acted: { incidentId: '6', did: 'intake-throttled', atMs: 0 }, coolDownMs, byCause: true, thinSinceMs: 100_000 }, nowMs);
    expect(looked(101_000)).toMatchObject({ kind: 'suppressed', untilMs: 160_000, looksMs: 160_000 });
    expect([looked(160_000), looked(101_000, 1_000)]).toEqual([{ kind: 'opens' }, { kind: 'opens' }]);
  });

  const run = (incidentId: string, subject: string, queue: string, found: ActedRun['found'] = null): ActedRun => ({ incidentId, subject, found, open: false, did: 'intake-throttled', atMs: Number(incidentId), queues: [{ namespace: 'acme', queue }] });

  it('is put off for the last run of its target, and for one of its cause only where that was of its queue and known', () => {
    const runs = [run('1', 'prod/mail', 'bills'), run('2', 'prod/mail', 'bills'), run('3', 'acme/overload', 'mail'), run('4', 'acme/overload', 'bills'), run('5', 'acme/unknown', 'mail')];
    const of = (target: string | null, subject: string, queue = 'mail') => actedThere({ namespace: 'acme', queue, target, subject }, runs)?.incidentId ?? null;
    expect([of('prod/mail', 'prod/mail'), of('prod/other', 'prod/other')]).toEqual(['2', null]);
    expect([of(null, 'acme/overload'), of(null, 'acme/overload', 'labels'), of(null, 'acme/unknown')]).toEqual(['3', null, null]);
  });

  it.each([
    ['the same cause', 'acme/overload', { cause: 'overload', subject: null }, '1'],
    ['another cause', 'acme/memory/w-1', { cause: 'overload', subject: null }, null],
    ['the same release', 'acme/bad_revision/v2', { cause: 'bad_revision', subject: 'v2' }, '1'],
    ['another release', 'acme/bad_revision/v3', { cause: 'bad_revision', subject: 'v2' }, null],
    ['nothing yet', 'acme/unknown', { cause: 'overload', subject: null }, '1'],
    ['nothing yet, where nothing was found', 'acme/unknown', { cause: 'unknown', subject: null }, null],
  ])('that comes from %s is put off accordingly for a run of its queue that was opened as unknown and found its cause later', (_, subject, found, for_) => {
    const there = (queue: string) => actedThere({ namespace: 'acme', queue, target: null, subject }, [run('1', 'acme/unknown', 'mail', found)])?.incidentId ?? null;
    expect([there('mail'), there('bills')]).toEqual([for_, null]);
  });
});
