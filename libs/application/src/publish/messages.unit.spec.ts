import { describe, expect, it } from 'vitest';
import { Value } from 'typebox/value';
import type { TSchema } from 'typebox';
import { DeadLetteredEvent, EnqueueCommand, InvalidationEvent, StopCommand } from '#libs/contracts';
import type { DecisionDraft } from '#libs/domain';
import { attachmentsOf, enqueueMessage, stopMessage } from './command-message.js';
import { deadLetterMessage } from './dead-letter-message.js';
import { decoded, intentOf } from './decoded-entry.js';
import { invalidationMessage } from './invalidation-message.js';
import { decision, entryOf, intent, parsed, queued, REF, started } from './publish.fixture.js';

const NOTHING = { payload: null, progress: null, grant: null };
const OPTIONS = { invalidation: null, payloadLimitBytes: 1_000 };
const HASH = 'ab'.repeat(32);
const REQUEUED: DecisionDraft = {
  kind: 'requeued',
  attempt: 2,
  token: 4_294_967_298,
  reason: 'lost',
  by: 'jobwarden',
  previousWorker: { id: 'w1' },
};
const invalidates = { keys: ['order:1'], tags: ['orders'] };

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const SPAN = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01';

function expectValid(schema: TSchema, message: string): void {
  expect([...Value.Errors(schema, JSON.parse(message))]).toEqual([]);
}

describe('an enqueue command', () => {
  const history = [
    queued({ kind: 'welcome', payload: { hash: HASH, bytes: 20 }, invalidates, traceparent: TRACE, tracestate: 'a=1' }),
    started(1, 'w1'),
    decision(1, REQUEUED),
  ];

  it('says which attempt to run, with what, why, and behind which invalidation', () => {
    const found = intent(...history);
    const attached = { payload: '{"order":9007199254740993123}', progress: '{"done":3}', grant: null };
    const { message } = enqueueMessage(found, entryOf(...history).state, attached, {
      ...OPTIONS,
      invalidation: found.entry.position,
    });
    expect(message).toContain('"payload":{"order":9007199254740993123}');
    expectValid(EnqueueCommand, message);
    expect(parsed(message)).toMatchObject({
      id: 'enqueue-3-42-3ux',
      source: 'jobwarden',
      subject: REF.id,
      namespace: 'acme',
      time: '1970-01-01T00:00:05.001Z',
      traceparent: TRACE,
      tracestate: 'a=1',
      data: {
        queue: 'mail',
        n: 1,
        attempt: 2,
        token: 4_294_967_298,
        reason: 'lost',
        kind: 'welcome',
        previousWorker: { id: 'w1' },
        progress: { done: 3 },
        invalidation: { shard: 3, number: 42 },
        trace: { traceparent: TRACE, tracestate: 'a=1' },
      },
    });
  });

  it('names the span of the attempt before, the last that told its own', () => {
    const events = [queued({ traceparent: TRACE }), started(1, 'w1', SPAN), started(2, 'w2'), decision(1, REQUEUED), decision(2, { ...REQUEUED, attempt: 3 })];
    const { message } = enqueueMessage(intent(...events), entryOf(...events).state, NOTHING, OPTIONS);
    expect(parsed(message).data['trace']).toEqual({ traceparent: TRACE, previous: SPAN });
    const newer = [queued(), started(1, 'w1', TRACE), started(2, 'w2', SPAN), decision(1, { ...REQUEUED, attempt: 3 })];
    expect(parsed(enqueueMessage(intent(...newer), entryOf(...newer).state, NOTHING, OPTIONS).message).data['trace']).toEqual({ previous: SPAN });
  });

  it.each(['00-x-y-01', TRACE.toUpperCase(), TRACE.replace('b7ad6b7169203331', '0000000000000000'), `${TRACE}-1`, `ff${TRACE.slice(2)}`])(
    'keeps to itself a trace context that nobody could follow: %s',
    (traceparent) => {
      const events = [queued({ traceparent, tracestate: 'a=1' }), started(1, 'w1', traceparent), decision(1, REQUEUED)];
      const { message } = enqueueMessage(intent(...events), entryOf(...events).state, NOTHING, OPTIONS);
      expect(message).not.toMatch(/trace/u);
    },
  );

  it('asks for the payload only while it is within the limit, and says both when it is not', () => {
    const found = intent(...history);
    const { state } = entryOf(...history);
    expect(attachmentsOf(found, state, 20)).toMatchObject({ payloadHash: HASH, attempt: 2, grantKey: null });
    expect(attachmentsOf(found, state, 19)).toMatchObject({ payloadHash: null });
    const built = enqueueMessage(found, state, NOTHING, { ...OPTIONS, payloadLimitBytes: 19 });
    expect(built).toMatchObject({ fault: 'payload_too_large: 20 bytes, the limit is 19' });
    expect(enqueueMessage(found, state, NOTHING, OPTIONS)).toMatchObject({
      fault: 'payload_erased: the payload is no longer kept',
    });
  });

  it('passes a reference on, goes without a payload where there is none, and leaves out a broken progress', () => {
    const withRef = [queued({ payload: { ref: 's3://bucket/1' } }), decision(1, REQUEUED)];
    const built = enqueueMessage(
      intent(...withRef),
      entryOf(...withRef).state,
      { ...NOTHING, progress: '{half' },
      OPTIONS,
    );
    expect(built).not.toHaveProperty('fault');
    expect(parsed(built.message).data).toMatchObject({ payloadRef: 's3://bucket/1' });
    expect(parsed(built.message).data).not.toHaveProperty('progress');
    const without = [queued(), decision(1, REQUEUED)];
    const bare = enqueueMessage(intent(...without), entryOf(...without).state, NOTHING, OPTIONS);
    expect(bare).not.toHaveProperty('fault');
    expectValid(EnqueueCommand, bare.message);
  });

  it('when republished names its own decision, and of the grant its token, worker and invalidation', () => {
    const again = [...history, decision(2, { kind: 'republished', attempt: 2, reason: 'start_by', by: 'jobwarden' })];
    const found = intent(...again);
    const { state } = entryOf(...again);
    expect(attachmentsOf(found, state, 20).grantKey).toMatch(/^[0-9a-f]{32}$/);
    const grant = { shard: 3, number: 40 };
    const { message } = enqueueMessage(found, state, { payload: '1', progress: null, grant }, OPTIONS);
    expect(parsed(message).data).toMatchObject({
      n: 2,
      attempt: 2,
      token: 4_294_967_298,
      previousWorker: { id: 'w1' },
      invalidation: grant,
    });
  });
});

describe('a stop command', () => {
  it("names its attempt, that attempt's token and its worker", () => {
    const draft: DecisionDraft = {
      kind: 'stop-requested',
      attempt: 1,
      reason: 'finished',
      by: 'jobwarden',
      previousWorker: { id: 'w1' },
    };
    const history = [queued({ epoch: 3 }), decision(1, REQUEUED), decision(2, draft)];
    const message = stopMessage(intent(...history), entryOf(...history).state);
    expectValid(StopCommand, message);
    expect(parsed(message).data).toMatchObject({
      n: 2,
      attempt: 1,
      token: 3 * 2 ** 32 + 1,
      worker: { id: 'w1' },
      previousWorker: { id: 'w1' },
    });
  });
});

describe('an invalidation', () => {
  it('goes out again when somebody asks for it, with what a success had added', () => {
    const asked = { kind: 'invalidation-requested', attempt: 1, reason: 'the cache says pending', by: 'ann' } as const;
    const known = decision(1, { ...asked, evidence: { keys: ['order:1', 'total'], tags: ['sums'] } });
    const { message } = invalidationMessage(entryOf(queued({ invalidates }), known)) ?? { message: '{}' };
    expectValid(InvalidationEvent, message);
    expect(parsed(message).data).toMatchObject({ keys: ['order:1', 'total'], tags: ['orders', 'sums'], cause: 'requested' });
    expect(invalidationMessage(entryOf(queued(), decision(1, asked)))).toBeNull();
  });

  it('of a requeue has the keys of `queued`, of a completion both, each key once', () => {
    const requeue = invalidationMessage(entryOf(queued({ invalidates }), decision(1, REQUEUED)));
    expectValid(InvalidationEvent, requeue?.message ?? '');
    expect(parsed(requeue?.message ?? '').data).toEqual({
      ...invalidates,
      cause: 'requeue',
      queue: 'mail',
      jobId: REF.id,
      attempt: 2,
      position: { shard: 3, number: 42 },
    });
    const done = invalidationMessage(
      entryOf(queued({ invalidates }), {
        kind: 'fact',
        fact: {
          type: 'succeeded',
          source: 's',
          id: 'done',
          laneMs: 9,
          attempt: 1,
          invalidates: { keys: ['order:1', 'order:2'], tags: [] },
        },
      }),
    );
    expect(parsed(done?.message ?? '').data).toMatchObject({
      cause: 'completed',
      keys: ['order:1', 'order:2'],
      tags: ['orders'],
    });
  });

  it('is not sent where there is nothing to invalidate', () => {
    expect(invalidationMessage(entryOf(queued(), decision(1, REQUEUED)))).toBeNull();
    expect(
      invalidationMessage(entryOf(queued({ invalidates: { keys: [], tags: [] } }), decision(1, REQUEUED))),
    ).toBeNull();
    expect(
      invalidationMessage(entryOf(queued({ invalidates }), decision(1, { ...REQUEUED, kind: 'republished' }))),
    ).toBeNull();
  });
});

describe('what a log entry wants to say', () => {
  it('is no command for a grant that a claim has made, and nothing for facts', () => {
    expect(intentOf(entryOf(queued(), decision(1, { ...REQUEUED, reason: 'claim' })))).toBeNull();
    expect(intentOf(entryOf(queued()))).toBeNull();
    expect(intentOf(entryOf(queued(), decision(1, { ...REQUEUED, kind: 'restart-requested' })))).toBeNull();
  });

  it('cannot be read where a newer program has written it', () => {
    const { entry } = entryOf(queued());
    expect(() => decoded({ ...entry, type: 999 })).toThrow('was written by a newer Jobwarden');
  });
});

describe('a dead letter', () => {
  it('tells every attempt from the row, and names bodies without carrying them', () => {
    const history = [
      queued({ payload: { hash: HASH, bytes: 5_000_000 } }),
      started(1, 'w1'),
      decision(1, { kind: 'restart-requested', attempt: 1, reason: 'lost', by: 'jobwarden' }),
      decision(2, REQUEUED),
      {
        kind: 'fact',
        fact: {
          type: 'failed',
          source: 's',
          id: 'f',
          laneMs: 8,
          attempt: 2,
          retryable: false,
          error: { class: 'E', message: 'no', stack: { hash: HASH, bytes: 9 } },
        },
      } as const,
      decision(3, {
        kind: 'dead-lettered',
        attempt: 2,
        token: 7,
        reason: 'failed',
        by: 'jobwarden',
        evidence: { retriesUsed: 1, chain: ['…'] },
      }),
    ];
    const message = deadLetterMessage(intent(...history), entryOf(...history).state);
    expectValid(DeadLetteredEvent, message);
    expect(parsed(message).data).toEqual({
      queue: 'mail',
      n: 3,
      attempt: 2,
      token: 7,
      reason: 'failed',
      by: 'jobwarden',
      payloadRef: `sha256:${HASH}`,
      firstCause: { attempt: 2, at: '1970-01-01T00:00:00.008Z', error: { class: 'E', message: 'no', stack: { hash: HASH, bytes: 9 } } },
      redrives: 0,
      evidence: { retriesUsed: 1 },
      chain: [
        { attempt: 1, ended: 'lost', at: '1970-01-01T00:00:05.001Z', worker: { id: 'w1' } },
        {
          attempt: 2,
          token: 4_294_967_298,
          ended: 'failed-for-good',
          at: '1970-01-01T00:00:00.008Z',
          error: { class: 'E', message: 'no', stack: { hash: HASH, bytes: 9 } },
        },
      ],
    });
  });
});
