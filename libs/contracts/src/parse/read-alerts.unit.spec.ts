import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAlerts, type ReadAlert } from './read-alerts.js';

const ALERT = {
  status: 'firing',
  labels: { alertname: 'WorkerReactorCriticalSaturation', queue: 'mail', action: 'trigger-rollback', namespace: 'monitoring' },
  annotations: { ratio: '0.31', unprocessed: '6000', summary: '7 of 9' },
  startsAt: '2026-01-05T09:52:26.739266876+02:00',
  endsAt: '0001-01-01T00:00:00Z',
  fingerprint: 'ba6ca4af6e0c9cb3',
};
const payload = (...alerts: readonly unknown[]) => ({ version: '4', groupKey: '{}', truncatedAlerts: 0, status: 'firing', alerts });
function one(alert: unknown): ReadAlert {
  const read = readAlerts(payload(alert));
  if (read.kind !== 'alerts' || read.alerts[0] === undefined) throw new Error(read.kind);
  return read.alerts[0];
}

describe('an alert', () => {
  it('names queue, start, fingerprint and figures', () => {
    expect(one(ALERT)).toEqual({
      identity: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      ...{ fingerprint: 'ba6ca4af6e0c9cb3', startsMs: Date.UTC(2026, 0, 5, 7, 52, 26, 739), firing: true, ignored: false },
      ...{ queue: 'mail', namespace: null, drill: false, figures: { ratio: 0.31, unprocessed: 6_000 }, refused: null },
    });
  });

  it('is the same by fingerprint and start, however that is written, and whatever else changes', () => {
    const { identity } = one(ALERT);
    expect(one({ ...ALERT, startsAt: '2026-01-05T07:52:26.739Z', status: 'resolved', annotations: {} }).identity).toBe(identity);
    expect(one({ ...ALERT, startsAt: '2026-01-05T07:53:26.739Z' }).identity).not.toBe(identity);
    expect(one({ ...ALERT, fingerprint: 'x' }).identity).not.toBe(identity);
  });

  it('without a fingerprint has that of its labels, in whatever order', () => {
    const bare = { ...ALERT, fingerprint: undefined };
    const turned = Object.fromEntries(Object.entries(ALERT.labels).reverse());
    expect(one({ ...bare, labels: turned }).identity).toBe(one(bare).identity);
    expect(one({ ...bare, labels: { ...turned, queue: 'bills' } }).identity).not.toBe(one(bare).identity);
  });

  it('names a namespace by a label of our own: the one of Kubernetes is another', () => {
    expect(one({ ...ALERT, labels: { ...ALERT.labels, jobwarden_namespace: 'acme' } }).namespace).toBe('acme');
  });

  it('is an exercise by its label alone', () => {
    expect(['true', 'false', 1].map((drill) => one({ ...ALERT, labels: { ...ALERT.labels, drill } }).drill)).toEqual([true, false, false]);
  });

  it.each([[{ action: 'page' }], [{ action: '' }], [{ action: 1 }]])('with the label %j asks for nothing', (labels) => {
    expect(one({ ...ALERT, labels: { ...ALERT.labels, ...labels } }).ignored).toBe(true);
  });

  it.each([
    ['no_queue', { ...ALERT, labels: { action: 'trigger-rollback' } }],
    ['no_queue', { ...ALERT, labels: { ...ALERT.labels, queue: '' } }],
    ['time_invalid', { ...ALERT, startsAt: 'yesterday' }],
    ['time_invalid', { ...ALERT, startsAt: '0001-01-01T00:00:00Z' }],
    ['time_invalid', { ...ALERT, startsAt: '2026-02-30T00:00:00Z' }],
    ['time_invalid', { ...ALERT, startsAt: 1_700_000_000 }],
    ['time_invalid', { ...ALERT, startsAt: undefined }],
    ['alert_invalid', { ...ALERT, status: 'pending' }],
    ['alert_invalid', { ...ALERT, labels: ['queue'] }],
    ['alert_invalid', null],
    ['alert_invalid', 'mail'],
  ] as const)('is refused as %s where that is wrong with it: %j', (why, alert) => {
    expect(one(alert).refused).toMatchObject({ why });
    expect(one(alert).identity).toBe(one(alert).identity);
  });
});

describe('a payload', () => {
  it.each([
    ['version_unknown', { ...payload(ALERT), version: '5' }],
    ['version_unknown', { alerts: [] }],
    ['payload_invalid', { version: '4' }],
    ['payload_invalid', { version: '4', alerts: { 0: ALERT } }],
    ['payload_invalid', [ALERT]],
    ['payload_invalid', null],
    ['payload_invalid', 7],
  ] as const)('is refused as %s: %j', (why, broken) => expect(readAlerts(broken)).toMatchObject({ kind: 'refused', why }));

  it('says how many alerts were left out of it', () => {
    expect(readAlerts({ ...payload(), truncatedAlerts: 7 })).toMatchObject({ truncated: 7 });
    expect(readAlerts({ ...payload(), truncatedAlerts: 'many' })).toMatchObject({ truncated: 0 });
  });

  it('is read to its end, whatever it holds, and loses no alert', () => {
    fc.assert(
      fc.property(fc.array(fc.anything()), (junk) => {
        const alerts = [...(JSON.parse(JSON.stringify(junk)) as unknown[]), ALERT];
        const read = readAlerts(payload(...alerts));
        if (read.kind !== 'alerts') throw new Error(read.why);
        expect(read.alerts).toHaveLength(alerts.length);
        expect(read.alerts.at(-1)?.refused).toBeNull();
      }),
    );
  });
});
