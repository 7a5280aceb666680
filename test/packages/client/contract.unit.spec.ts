// The packages bring no schema library along, so their types of the contract are written by hand. Here they meet the schemas.
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  FACT_KINDS,
  parseContext,
  parseEvent,
  readTrace,
  type CancelledData,
  type ClaimAnswer,
  type ClaimCall,
  type EnqueueCommandData,
  type FailedData,
  type GateView,
  type HeartbeatData,
  type IngestResult,
  type InvalidationData,
  type JobDetail,
  type LeaseRenewalFailedData,
  type QueuedData,
  type QueueStateData,
  type QueueView,
  type ReleasedData,
  type StartedData,
  type StopCommandData,
  type SucceededData,
  type WorkerHeartbeatData,
} from '#libs/contracts';
import * as client from '@jobwarden/client';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
/** Every member of ours is one of theirs, and what we write they read. */
type Fields<T> = keyof T;

describe('the types of @jobwarden/client', () => {
  it('say of each fact what the contract says', () => {
    expectTypeOf<keyof client.FactData>().toEqualTypeOf<(typeof FACT_KINDS)[number]>();
    expectTypeOf<Fields<client.QueuedData> | 'queue'>().toEqualTypeOf<Fields<QueuedData>>();
    expectTypeOf<client.QueuedData & { queue: string }>().toExtend<QueuedData>();
    expectTypeOf<Fields<client.StartedData> | 'queue'>().toEqualTypeOf<Fields<StartedData>>();
    expectTypeOf<client.StartedData & { queue: string }>().toExtend<StartedData>();
    expectTypeOf<Fields<client.HeartbeatData> | 'queue'>().toEqualTypeOf<Fields<HeartbeatData>>();
    expectTypeOf<client.HeartbeatData & { queue: string }>().toExtend<HeartbeatData>();
    expectTypeOf<Fields<client.ReleasedData> | 'queue'>().toEqualTypeOf<Fields<ReleasedData>>();
    expectTypeOf<client.ReleasedData & { queue: string }>().toExtend<ReleasedData>();
    expectTypeOf<Fields<client.LeaseRenewalFailedData> | 'queue'>().toEqualTypeOf<Fields<LeaseRenewalFailedData>>();
    expectTypeOf<client.LeaseRenewalFailedData & { queue: string }>().toExtend<LeaseRenewalFailedData>();
    expectTypeOf<Fields<client.SucceededData> | 'queue'>().toEqualTypeOf<Fields<SucceededData>>();
    expectTypeOf<client.SucceededData & { queue: string }>().toExtend<SucceededData>();
    expectTypeOf<Fields<client.FailedData> | 'queue'>().toEqualTypeOf<Fields<FailedData>>();
    expectTypeOf<client.FailedData & { queue: string }>().toExtend<FailedData>();
    expectTypeOf<Fields<client.CancelledData> | 'queue'>().toEqualTypeOf<Fields<CancelledData>>();
    expectTypeOf<client.CancelledData & { queue: string }>().toExtend<CancelledData>();
  });

  it('say of reports what the contract says', () => {
    expectTypeOf<Fields<client.WorkerHeartbeatData>>().toEqualTypeOf<Fields<WorkerHeartbeatData>>();
    expectTypeOf<client.WorkerHeartbeatData>().toExtend<WorkerHeartbeatData>();
    expectTypeOf<Fields<client.Runtime>>().toEqualTypeOf<Fields<NonNullable<WorkerHeartbeatData['runtime']>>>();
    expectTypeOf<client.QueueStateData>().toEqualTypeOf<Readonly<QueueStateData>>();
  });

  it('say of claims and commands what the contract says', () => {
    expectTypeOf<Mutable<client.ClaimCall>>().toExtend<ClaimCall>();
    expectTypeOf<Fields<client.ClaimCall>>().toEqualTypeOf<Fields<ClaimCall>>();
    expectTypeOf<ClaimAnswer>().toExtend<Omit<Extract<client.ClaimResult, { kind: 'granted' }>, 'kind'>>();
    expectTypeOf<EnqueueCommandData>().toExtend<client.EnqueueCommandData>();
    expectTypeOf<Fields<client.EnqueueCommandData>>().toEqualTypeOf<Fields<EnqueueCommandData>>();
    expectTypeOf<StopCommandData>().toExtend<client.StopCommandData>();
    expectTypeOf<Fields<client.StopCommandData>>().toEqualTypeOf<Fields<StopCommandData>>();
    expectTypeOf<InvalidationData>().toExtend<client.InvalidationData>();
    expectTypeOf<Fields<client.InvalidationData>>().toEqualTypeOf<Fields<InvalidationData>>();
  });

  it('read what the service answers', () => {
    expectTypeOf<IngestResult>().toExtend<client.EventResult>();
    expectTypeOf<Fields<client.EventResult>>().toEqualTypeOf<Fields<IngestResult>>();
    expectTypeOf<QueueView>().toExtend<client.QueueView>();
    expectTypeOf<GateView>().toExtend<client.Gate>();
    expectTypeOf<JobDetail>().toExtend<client.JobView>();
  });
});

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('trace context', () => {
  it.each([
    ...[TRACE, `${TRACE}-x`, `cc${TRACE.slice(2)}`, `cc${TRACE.slice(2)}-x`, `cc${TRACE.slice(2)}x`, `ff${TRACE.slice(2)}`, TRACE.toUpperCase()],
    ...[TRACE.replace(/01$/u, '03'), TRACE.replace('0af7651916cd43dd8448eb211c80319c', '0'.repeat(32)), TRACE.slice(1), '', ' ', `${TRACE}\n`, `cc${TRACE.slice(2)}-${'x'.repeat(2_000)}`],
  ])('is read alike by the packages and the service: %j', (traceparent) => {
    const found = readTrace(traceparent, 'a=1');
    const theirs = found === null ? null : { traceparent: found.traceparent, tracestate: found.tracestate };
    expect(client.readTrace(traceparent, 'a=1')).toEqual(theirs);
    expect(client.readTrace(traceparent, 'x'.repeat(513))?.tracestate).toBeUndefined();
  });

  it('is that of version 00, whatever version it came as', () => {
    expect([TRACE, `cc${TRACE.slice(2)}-x`].map((traceparent) => client.readTrace(traceparent)?.traceparent)).toEqual([TRACE, TRACE]);
    expect([`${TRACE}-x`, TRACE.toUpperCase(), 7, null].map((traceparent) => client.readTrace(traceparent))).toEqual([null, null, null, null]);
  });
});

const worker = { id: 'pdf-1', incarnation: 'i', revision: 'r7', track: 'canary' };
const attempt = { attempt: 2, token: 2, worker };
/** One of each, with every member that there is. */
const FACTS: readonly client.Fact[] = [
  {
    ...{ type: 'queued', queue: 'q', jobId: 'j', traceparent: TRACE, tracestate: 'a=1' },
    data: { kind: 'k', payload: { to: 'ada' }, maxRetries: 3, notBefore: '2026-01-01T00:00:00Z', timeoutMs: 1_000, invalidates: { keys: ['a'], tags: ['b'] } },
  },
  { type: 'queued', queue: 'q', jobId: 'j', data: { payloadRef: 's3://x' } },
  { type: 'claimed', queue: 'q', jobId: 'j', data: { ...attempt, leaseMs: 5_000 } },
  { type: 'started', queue: 'q', jobId: 'j', data: { ...attempt, leaseMs: 5_000 } },
  { type: 'heartbeat', queue: 'q', jobId: 'j', data: { ...attempt, leaseMs: 5_000, progress: { percent: 5 } } },
  { type: 'released', queue: 'q', jobId: 'j', data: { ...attempt, reason: 'drain' } },
  { type: 'lease-renewal-failed', queue: 'q', jobId: 'j', data: { ...attempt, reason: 'nobody answers' } },
  { type: 'succeeded', queue: 'q', jobId: 'j', data: { ...attempt, durationMs: 7, invalidates: { keys: ['a'] } } },
  {
    ...{ type: 'failed', queue: 'q', jobId: 'j' },
    data: { ...attempt, durationMs: 7, error: { class: 'E', message: 'm', stack: 's', code: 'c', responseStatus: 503 }, retryable: false, retryAfterMs: 5, payloadSnapshot: [1] },
  },
  { type: 'cancelled', queue: 'q', jobId: 'j', data: { reason: 'r', by: 'ada', attempt: 1 } },
  { type: 'cancelled', queue: 'q', jobId: 'j' },
  { type: 'queue-state', queue: 'q', data: { waiting: 1, oldestAgeMs: 5, paused: false } },
  {
    type: 'worker-heartbeat',
    data: {
      worker,
      jobs: [{ queue: 'q', id: 'j', attempt: 2, token: 2, leaseMs: 5_000, progress: 1 }],
      runtime: { heapUsed: 1, heapLimit: 2, rss: 3, loopLagMs: 4, poolInUse: 5, poolWaiting: 6, lockWaits: [{ resource: 'r', holder: 'h', waitedMs: 7 }] },
    },
  },
];

describe('what an emitter sends', () => {
  const context = parseContext({ hashKey: Buffer.alloc(32) });

  it.each(FACTS.map((fact) => [fact.type, fact] as const))('is an event of the contract: %s', async (_, fact) => {
    const sent: client.OutgoingEvent[] = [];
    const transport: client.Transport = {
      limits: { maxEvents: 10, maxBytes: 1_000_000 },
      send: (events) => {
        sent.push(...events);
        return Promise.resolve(null);
      },
    };
    const emitter = client.createEmitter({ transport, source: 'test', namespace: 'tenant' });
    emitter.tell(fact);
    await emitter.close();
    const [event] = sent;
    expect(parseEvent(JSON.parse(event!.text), context)).toMatchObject({ ok: true, namespace: 'tenant', source: 'test', id: event!.id });
  });

  it('covers every fact that there is', () => {
    expect(new Set(FACTS.map(({ type }) => type))).toEqual(new Set([...FACT_KINDS, 'worker-heartbeat', 'queue-state']));
  });
});
