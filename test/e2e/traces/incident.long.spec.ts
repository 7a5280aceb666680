// What a collector sees of a run against a bad release, driven by the shipped process on a pool that is calculated.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { simulatedPool } from '#libs/orchestrators';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { asOwner, event, range, Shipped } from '../cases/shipped.js';
import { OtlpReceiver } from './receiver.js';

const T0 = Date.UTC(2026, 0, 5);
const POLICY = `
defaults:
  actions: act
  idempotent: true
  rollback: {target: "simulated:workers", approval: false}
  readmit: {steps: [50, 100], hold: 10s}
`;

interface Incident {
  readonly status: string;
  readonly steps: readonly { readonly n: number; readonly type: string; readonly by: string }[];
}

const database = useTestDatabase();
const folder = mkdtempSync(join(tmpdir(), 'jobwarden-incident-traces-'));
let receiver: OtlpReceiver;
let service: Shipped;
let nowMs = T0;

beforeAll(async () => {
  const pools = join(folder, 'pools.json');
  writeFileSync(pools, JSON.stringify({ workers: simulatedPool({ nowMs: T0, replicas: 5 }) }));
  await asOwner(database.url, `UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = ${String(T0)}`);
  receiver = await OtlpReceiver.start();
  service = await Shipped.start({ databaseUrl: database.url, policy: POLICY, env: { ...receiver.env('jobwarden'), JOBWARDEN_SIMULATED: pools } });
});
afterAll(async () => {
  await service.end();
  await receiver.end();
  rmSync(folder, { recursive: true, force: true });
});

let jobs = 0;
async function pass(ms: number, count: number): Promise<void> {
  nowMs += ms;
  await service.call('PUT', '/v1/clock', { now: new Date(nowMs).toISOString() });
  const v1 = { attempt: 1, worker: { id: 'w-v1', revision: 'v1' } };
  await service.send(range(count, () => `job-${String((jobs += 1))}`).flatMap((id) => [event('started', id, v1), event('succeeded', id, v1)]));
}

it('is a span for each step that the service took, and none for what a person did', async () => {
  await pass(0, 60);
  await pass(3_600_000, 0);
  const opened = await service.call<{ incidentId: string }>('POST', '/v1/incidents', { target: 'simulated:workers', revision: 'v2', reason: 'it eats mails' });
  const incident = () => service.get<Incident>(`/v1/incidents/${opened.body.incidentId}`);
  await waitUntil('it is over', async () => {
    await pass(1_000, 2);
    return (await incident()).status === 'resolved';
  }, { withinMs: 60_000 });
  // It sends what is left.
  const { steps } = await incident();
  await service.stop();

  const own = steps.filter(({ by }) => by === 'jobwarden');
  expect(new Set(own.map(({ type }) => type))).toEqual(new Set(['cause-assessed', 'noted', 'intake-throttled', 'evidence-captured', 'isolated', 'rollback-begun', 'rolled-back', 'replicas-restored', 'verified', 'readmitting', 'resolved']));
  expect(own.length).toBeLessThan(steps.length);
  const spans = receiver.spans.filter(({ attributes }) => attributes['jobwarden.incident.id'] === opened.body.incidentId);
  const told = spans.map(({ name, attributes }) => [Number(attributes['jobwarden.incident.n']), name]);
  expect(told.sort(([a], [b]) => Number(a) - Number(b))).toEqual(own.map(({ n, type }) => [n, `incident ${type}`]));
  expect(spans.every(({ service: of, parentSpanId = '' }) => of === 'jobwarden' && parentSpanId === '')).toBe(true);
  expect(JSON.stringify(spans)).not.toContain('it eats mails');
}, 90_000);
