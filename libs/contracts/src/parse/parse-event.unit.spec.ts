import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactly } from '../json.js';
import { EXAMPLES } from '../examples.js';
import { compileRedaction } from '../redaction/compile.js';
import { redactionRule, type RawRedactionRule } from '../redaction/rules.js';
import { DECISION_EVENTS } from '../schemas/decisions.js';
import { INCOMING_EVENTS, OUTGOING_EVENTS } from '../schemas/registry.js';
import { parseContext } from './context.js';
import { parseEvent } from './parse-event.js';
import type { ParsedFact, Unparsed } from './parsed-event.js';

const hashKey = Buffer.alloc(32, 7);
const context = parseContext({ hashKey });

function withRules(...raw: RawRedactionRule[]) {
  const rules = raw.map((one) => redactionRule(one)).flatMap((checked) => (checked.ok ? [checked.rule] : []));
  return parseContext({ hashKey, redactor: compileRedaction(rules) });
}

function event(kind: string, data: object, attributes: object = {}) {
  const type = kind.includes('.') ? kind : `jobwarden.job.${kind}.v1`;
  return { specversion: '1.0', id: 'e-1', source: '/s', subject: 'j-1', type, data: { queue: 'emails', ...data }, ...attributes };
}

function fact(kind: string, data: object, attributes: object = {}, given = context): ParsedFact {
  const parsed = parseEvent(event(kind, data, attributes), given);
  if (!parsed.ok || parsed.kind !== 'fact') throw new Error(parsed.ok ? parsed.kind : parsed.detail);
  return parsed;
}

function broken(input: unknown, given = context): Unparsed {
  const parsed = parseEvent(input, given);
  if (parsed.ok) throw new Error('was read');
  return parsed;
}

const worker = { id: 'w-1' };

describe('reading an event', () => {
  it('reads the example of every type that comes in', () => {
    for (const type of Object.keys(INCOMING_EVENTS)) expect(parseEvent(EXAMPLES[type], context)).toMatchObject({ ok: true, type });
  });

  it('names the job by namespace, queue and subject', () => {
    expect(fact('succeeded', {}).ref).toEqual({ namespace: 'default', queue: 'emails', id: 'j-1' });
    expect(fact('succeeded', {}, { namespace: 'acme' }).ref.namespace).toBe('acme');
  });

  it('takes a hostile job id as it stands', () => {
    for (const subject of ['a/b', 'a%2Fb', '..', ' ', '🦊', `"'`, 'x'.repeat(512)]) {
      expect(fact('succeeded', {}, { subject }).ref.id).toBe(subject);
    }
  });

  it('counts the attempt from 1 where it is left out, except of a request to cancel', () => {
    expect(fact('succeeded', {}).fact).toMatchObject({ attempt: 1 });
    expect(fact('succeeded', { attempt: 3 }).fact).toMatchObject({ attempt: 3 });
    expect(fact('cancelled', {}).fact).not.toHaveProperty('attempt');
  });

  it('reads a queued job', () => {
    const parsed = fact(
      'queued',
      { kind: 'k', payloadRef: 's3://b/k', maxRetries: 0, notBefore: '2026-01-01T00:00:00Z', timeoutMs: 1.6, invalidates: { keys: ['a'] } },
      { time: '2025-12-31T23:00:00-01:00', traceparent: '00-0-0-01' },
    );
    expect(parsed.fact).toEqual({
      type: 'queued',
      source: '/s',
      id: 'e-1',
      timeMs: Date.UTC(2026, 0, 1),
      traceparent: '00-0-0-01',
      kind: 'k',
      payload: { ref: 's3://b/k' },
      maxRetries: 0,
      notBeforeMs: Date.UTC(2026, 0, 1),
      timeoutMs: 2,
      invalidates: { keys: ['a'], tags: [] },
    });
  });

  it('takes a failure for retryable unless it says otherwise', () => {
    const error = { class: 'E', message: 'm' };
    expect(fact('failed', { error }).fact).toMatchObject({ retryable: true, error });
    expect(fact('failed', { error, retryable: false, retryAfterMs: 10 }).fact).toMatchObject({ retryable: false, retryAfterMs: 10 });
  });

  it('keeps an absurd time and a negative run time: they are anomalies, not faults', () => {
    expect(fact('succeeded', { durationMs: -5 }, { time: '0001-01-01T00:00:00Z' }).fact).toMatchObject({
      durationMs: -5,
      timeMs: Date.UTC(2001, 0, 1) - 63_113_904_000_000,
    });
  });

  it('reads a heartbeat with its progress', () => {
    const parsed = parseEvent(event('heartbeat', { leaseMs: 10_000, progress: { done: 3 } }), context);
    expect(parsed).toMatchObject({ ok: true, kind: 'heartbeat', heartbeat: { type: 'heartbeat', attempt: 1, leaseMs: 10_000, progress: { done: 3 } } });
  });

  it('makes one heartbeat per job of a worker’s, with the worker in each', () => {
    const data = { worker: { id: 'w-1', zone: 'eu' }, jobs: [{ queue: 'a', id: 'j/1', attempt: 2, leaseMs: 5 }, { queue: 'b', id: 'j/2' }] };
    const parsed = parseEvent({ ...event('jobwarden.worker.heartbeat.v1', {}, { namespace: 'n', subject: 'w-1' }), data }, context);
    expect(parsed).toMatchObject({
      ok: true,
      kind: 'worker-heartbeat',
      workerId: 'w-1',
      worker: { id: 'w-1' },
      beats: [
        { ref: { namespace: 'n', queue: 'a', id: 'j/1' }, heartbeat: { attempt: 2, leaseMs: 5, worker: { id: 'w-1' } } },
        { ref: { namespace: 'n', queue: 'b', id: 'j/2' }, heartbeat: { attempt: 1 } },
      ],
    });
  });

  it('reads what a native queue says', () => {
    const parsed = parseEvent({ ...event('jobwarden.queue.state.v1', {}, { subject: 'emails' }), data: { waiting: 3, oldestAgeMs: 1.5, more: 1 } }, context);
    expect(parsed).toMatchObject({ ok: true, kind: 'queue-state', queue: 'emails' });
    expect(parsed).toHaveProperty('state', { waiting: 3, oldestAgeMs: 2 });
  });

  it('keeps unknown fields and unknown attributes', () => {
    const parsed = fact('started', { worker: { id: 'w', zone: 'eu' }, extra: { a: 1 } }, { tenant: 't', dataschema: 'urn:x' });
    expect(JSON.parse(parsed.data)).toEqual({ queue: 'emails', worker: { id: 'w', zone: 'eu' }, extra: { a: 1 } });
    expect(parsed.fact).toMatchObject({ worker: { id: 'w' } });
    expect(parsed.extensions).toEqual({ tenant: 't', dataschema: 'urn:x' });
    expect(fact('succeeded', {})).not.toHaveProperty('extensions');
  });
});

describe('the content hash', () => {
  const hashOf = (kind: string, data: object, given = context) => fact(kind, data, {}, given).contentHash.toString('hex');

  it('does not depend on the order of keys', () => {
    expect(hashOf('queued', { payload: { a: 1, b: { c: 2, d: 3 } }, kind: 'k' })).toBe(
      hashOf('queued', { kind: 'k', payload: { b: { d: 3, c: 2 }, a: 1 } }),
    );
  });

  it('depends on the type, on any value, and on the key', () => {
    const base = hashOf('started', { worker });
    expect(hashOf('claimed', { worker })).not.toBe(base);
    expect(hashOf('started', { worker, extra: 1 })).not.toBe(base);
    expect(hashOf('started', { worker }, parseContext({ hashKey: Buffer.alloc(32, 8) }))).not.toBe(base);
    expect(hashOf('started', { worker })).toBe(base);
  });

  it('is taken before redaction: what differs only in what is cut is not a repeat', () => {
    const rules = withRules({ path: 'data.payload' });
    const one = fact('queued', { payload: 'a' }, {}, rules);
    const other = fact('queued', { payload: 'b' }, {}, rules);
    expect(one.data).toBe(other.data);
    expect(one.contentHash.equals(other.contentHash)).toBe(false);
    expect(one.contentHash.toString('hex')).toBe(hashOf('queued', { payload: 'a' }));
  });

  it('leaves out what may differ between tries: time, trace and extensions', () => {
    const one = fact('started', { worker }, { time: '2026-01-01T00:00:00Z', traceparent: 'a', x: 1 });
    expect(one.contentHash.toString('hex')).toBe(hashOf('started', { worker }));
  });
});

describe('trace context', () => {
  const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

  it.each([
    ['no text', 7],
    ['null', null],
    ['a list', [TRACE]],
    ['too long', `${TRACE}${'x'.repeat(2_000)}`],
    ['nothing that a database stores', `${TRACE}\u0000`],
  ])('that is %s is left aside, and the event is taken', (_, traceparent) => {
    const found = fact('started', { worker }, { traceparent, tracestate: traceparent });
    expect([found.traceparent, found.tracestate, found.fact.traceparent]).toEqual([undefined, undefined, undefined]);
  });

  it.each([TRACE, TRACE.toUpperCase(), 'nonsense', '', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, `cc${TRACE.slice(2)}-more`])('%s is kept as it came', (traceparent) => {
    const { fact: started } = fact('started', { worker }, { traceparent, tracestate: 'a=1,b=2' });
    expect(started).toMatchObject({ traceparent, tracestate: 'a=1,b=2' });
  });
});

describe('what is not taken', () => {
  it.each([
    ['a string', 'x', 'unreadable'],
    ['null', null, 'unreadable'],
    ['nothing', undefined, 'unreadable'],
    ['an array', [], 'unreadable'],
    ['an empty object', {}, 'schema'],
    ['a type that is no string', { ...event('started', { worker }), type: 7 }, 'schema'],
    ['an unknown type', event('strated', { worker }), 'unknown_type'],
    ['another version of a type', event('jobwarden.job.started.v2', { worker }), 'unknown_type'],
    ['another version of CloudEvents', event('started', { worker }, { specversion: '0.3' }), 'schema'],
    ['no source', event('started', { worker }, { source: undefined }), 'schema'],
    ['an empty subject', event('started', { worker }, { subject: '' }), 'schema'],
    ['no worker', event('started', {}), 'schema'],
    ['attempt 0', event('started', { worker, attempt: 0 }), 'schema'],
    ['an attempt that no column holds', event('started', { worker, attempt: 2 ** 31 }), 'schema'],
    ['an attempt that leaves no room for the next', event('heartbeat', { attempt: 1_000_000_001 }), 'schema'],
    ['a cancel of such an attempt', event('cancelled', { attempt: 2 ** 31 }), 'schema'],
    ['half an attempt', event('started', { worker, attempt: 1.5 }), 'schema'],
    ['a token beyond 2^53', event('started', { worker, token: 2 ** 53 }), 'schema'],
    ['more waiting than eight bytes hold', event('jobwarden.queue.state.v1', { waiting: 1e300 }), 'schema'],
    ['101 retries', event('queued', { maxRetries: 101 }), 'schema'],
    ['payload and payloadRef', event('queued', { payload: 1, payloadRef: 'r' }), 'schema'],
    ['a failure without an error', event('failed', {}), 'schema'],
    ['no time', event('started', { worker }, { time: 'yesterday' }), 'schema'],
    ['30 February', event('queued', { notBefore: '2026-02-30T00:00:00Z' }), 'schema'],
    ['a number beyond doubles', event('started', { worker, x: JSON.parse('1e400') as number }), 'unstorable'],
    ['NUL in a key', event('started', { worker, 'a\0': 1 }), 'unstorable'],
    ['NUL deep in the data', event('started', { worker, x: [{ a: 'x\0' }] }), 'unstorable'],
    ['half a surrogate pair', event('queued', { x: '\ud800' }), 'unstorable'],
    ['NUL in the job id', event('started', { worker }, { subject: 'a\0' }), 'unstorable'],
    ['half a pair in the source', event('started', { worker }, { source: '\udc00' }), 'unstorable'],
    ['NUL in an extension', event('started', { worker }, { x: '\0' }), 'unstorable'],
    ['NUL in the namespace', event('started', { worker }, { namespace: '\0' }), 'unstorable'],
  ])('%s', (_what, input, reason) => {
    expect(broken(input)).toMatchObject({ disposition: 'quarantined', reason });
  });

  it('takes a written-out \\u0000 for six characters', () => {
    expect(fact('queued', { payload: String.raw`\u0000 \ud800 🦊` }).bodies).toHaveLength(1);
  });

  it('refuses what only Jobwarden may say, over HTTP; from Kafka it is kept', () => {
    const types = [
      ...Object.keys(DECISION_EVENTS).filter((kind) => kind !== 'cancelled').map((kind) => `jobwarden.job.${kind}.v1`),
      ...Object.keys(OUTGOING_EVENTS),
      'jobwarden.queue.paused.v1',
      'jobwarden.incident.opened.v1',
    ];
    const kafka = parseContext({ hashKey, transport: 'kafka' });
    for (const input of [...types.map((type) => event(type, {})), event('started', { worker }, { source: 'jobwarden' }), event('x', {}, { source: 'jobwarden' })]) {
      expect(broken(input)).toMatchObject({ disposition: 'refused', reason: 'decision_from_outside' });
      expect(broken(input, kafka)).toMatchObject({ disposition: 'quarantined', reason: 'decision_from_outside' });
    }
    expect(parseEvent(event('cancelled', {}), context).ok).toBe(true);
  });

  it('says which field, what was found and what to do', () => {
    expect(broken(event('started', { worker: { id: 7 } })).detail).toBe('data.worker.id must be string, found the number 7');
    const beyond = JSON.stringify(event('started', { worker, attempt: 1 })).replace('"attempt":1', '"attempt":9007199254740993');
    expect(broken(parseExactly(beyond)).detail).toBe('data.attempt must be integer, found a number that no double holds exactly');
    expect(broken(event('started', {})).detail).toBe('data.worker is missing');
    expect(broken(event('queued', { payload: 1, payloadRef: 'r' })).detail).toBe('data may hold payload or payloadRef, not both');
    expect(broken(event('started', { worker, attempt: 0 })).detail).toBe('data.attempt must be >= 1, found 0');
    expect(broken(event('started', { worker }, { time: 'x' })).detail).toContain('time is no RFC 3339 time');
    expect(broken(event('queued', { x: { a: ['\0'] } })).detail).toContain('data.x.a[0] holds a NUL character');
    const data = { worker, jobs: [{ queue: 'a', id: 'j' }, { queue: 'b' }] };
    expect(broken({ ...event('jobwarden.worker.heartbeat.v1', {}), data }).detail).toBe('data.jobs[1].id is missing');
  });

  it('names the job, so that verdicts on it can be held', () => {
    const ref = { namespace: 'default', queue: 'emails', id: 'j-1' };
    expect(broken(event('started', {}))).toMatchObject({ ref, refs: [ref], source: '/s', id: 'e-1' });
    expect(broken(event('jobwarden.job.future.v9', {}))).toMatchObject({ ref });
    expect(broken(event('started', { worker }, { subject: 'a\0' }))).not.toHaveProperty('ref');
    expect(broken(event('started', { queue: 7 }))).not.toHaveProperty('ref');
    const data = { worker, jobs: [{ queue: 'a', id: 'j1' }, { queue: 'a', id: 'j2' }, 5], runtime: { rss: -1 } };
    expect(broken({ ...event('jobwarden.worker.heartbeat.v1', {}), data }).refs.map((r) => r.id)).toEqual(['j1', 'j2']);
  });

  it('names the jobs that a type of a later version lists', () => {
    const named = (type: string) => {
      const jobs = [{ queue: 'a', id: 'j1' }, { queue: 'emails', id: 'j2' }];
      return broken(event('', { worker, jobs }, { type })).refs.map(({ queue, id }) => `${queue}/${id}`);
    };
    // What is called emails there is the worker, whatever queue it is said to be of.
    expect(named('jobwarden.worker.heartbeat.v2')).toEqual(['a/j1', 'emails/j2']);
    expect(named('jobwarden.job.batch-started.v1')).toEqual(['emails/j-1', 'a/j1', 'emails/j2']);
  });

  it('is kept as JSON text that can be replayed', () => {
    const input = event('started', { x: [1, 'é'] });
    expect(JSON.parse(Buffer.from(broken(input).bytes).toString())).toEqual(input);
  });

  it('is redacted too, and its detail', () => {
    const rules = withRules({ pattern: '4111\\d+' });
    const kept = broken(event('started', { worker: { id: 4111111111111111 }, note: '4111111111111111' }), rules);
    expect(Buffer.from(kept.bytes).toString()).not.toContain('4111');
    expect(kept.detail).not.toContain('4111');
    expect(kept.redacted.length).toBeGreaterThan(0);
  });
});

describe('parsing any JSON', () => {
  const part = fc.oneof(fc.jsonValue(), fc.constant(undefined));
  const anyEvent = fc.record({
    specversion: fc.oneof(fc.constant('1.0'), part),
    id: fc.oneof(fc.constant('e'), part),
    source: fc.oneof(fc.constant('/s'), part),
    subject: fc.oneof(fc.constant('j'), part),
    type: fc.oneof(fc.constantFrom(...Object.keys(INCOMING_EVENTS)), part),
    time: fc.oneof(fc.constant('2026-01-01T00:00:00Z'), part),
    namespace: part,
    data: fc.oneof(
      fc.jsonValue(),
      fc.record({ queue: fc.constant('q'), worker: fc.oneof(fc.constant(worker), part), error: part, jobs: part, payload: part, attempt: part }),
    ),
  });
  const rules = withRules({ path: 'data.**.a' }, { pattern: 'x+' });

  it('never throws, and always answers with what becomes of it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), anyEvent), fc.constantFrom(context, rules), (input, given) => {
        const parsed = parseEvent(input, given);
        if (parsed.ok) JSON.parse(parsed.data);
        else expect(parsed.detail).not.toBe('');
      }),
      { numRuns: 2_000 },
    );
  });

  it('never throws on JSON nested beyond all limits', () => {
    const deep: unknown = JSON.parse('{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000));
    for (const given of [context, rules]) {
      expect(broken(deep, given).reason).toBe('schema');
      expect(broken(event('queued', { payload: deep }), given).reason).toBe('too_large');
    }
  });
});
