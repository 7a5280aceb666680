import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { FactType } from '#libs/domain';
import { EXAMPLES } from '../examples.js';
import { bytesOver, LIMIT_SETTINGS, type Limits } from '../limits.js';
import { compileRedaction } from '../redaction/compile.js';
import { FACT_KINDS, jobEventType } from '../vocabulary.js';
import { parseContext } from './context.js';
import { storedFact } from './fact.js';
import { parseEvent } from './parse-event.js';
import { parseExactly } from '../json.js';

const hashKey = Buffer.alloc(32, 7);
const context = parseContext({ hashKey });

function event(kind: string, data: object, attributes: object = {}) {
  const type = kind.includes('.') ? kind : `jobwarden.job.${kind}.v1`;
  return { specversion: '1.0', id: 'e-1', source: '/s', subject: 'j-1', type, data: { queue: 'emails', ...data }, ...attributes };
}

function fact(kind: string, data: object, given = context) {
  const parsed = parseEvent(event(kind, data), given);
  if (!parsed.ok || parsed.kind !== 'fact') throw new Error(parsed.ok ? parsed.kind : parsed.detail);
  return parsed;
}

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const long = (bytes: number) => 'é'.repeat(Math.floor(bytes / 2)) + (bytes % 2 === 1 ? 'x' : '');
const worker = { id: 'w' };
const error = { class: 'E', message: 'm' };
const beat = 'jobwarden.worker.heartbeat.v1';

describe('limits', () => {
  const cases: [keyof Limits, number, (text: string) => unknown][] = [
    ['jobIdBytes', 2_048, (subject) => event('started', { worker }, { subject })],
    ['sourceBytes', 1_024, (source) => event('started', { worker }, { source })],
    ['eventIdBytes', 1_024, (id) => event('started', { worker }, { id })],
    ['namespaceBytes', 255, (namespace) => event('started', { worker }, { namespace })],
    ['queueBytes', 255, (queue) => event('started', { worker, queue })],
    ['fieldBytes', 255, (id) => event('started', { worker: { id } })],
    ['fieldBytes', 255, (revision) => event('heartbeat', { worker: { id: 'w', revision } })],
    ['fieldBytes', 255, (kind) => event('queued', { kind })],
    ['fieldBytes', 255, (name) => event('failed', { error: { class: name, message: 'm' } })],
    ['fieldBytes', 255, (code) => event('failed', { error: { ...error, code } })],
    ['fieldBytes', 255, (by) => event('cancelled', { by })],
    ['textBytes', 8_192, (reason) => event('released', { reason })],
    ['textBytes', 8_192, (payloadRef) => event('queued', { payloadRef })],
    ['textBytes', 8_192, (key) => event('queued', { invalidates: { keys: ['a', key] } })],
    ['textBytes', 8_192, (tag) => event('succeeded', { invalidates: { tags: [tag] } })],
    ['fieldBytes', 255, (subject) => event(beat, { worker, jobs: [] }, { subject })],
    ['queueBytes', 255, (queue) => event(beat, { worker, jobs: [{ queue, id: 'j' }] })],
    ['jobIdBytes', 2_048, (id) => event(beat, { worker, jobs: [{ queue: 'q', id }] })],
    ['queueBytes', 255, (subject) => event('jobwarden.queue.state.v1', {}, { subject })],
  ];

  it.each(cases)('%s of %d counts bytes of UTF-8, and says so (%#)', (limit, allowed, make) => {
    expect(parseEvent(make(long(allowed)), context).ok).toBe(true);
    const over = parseEvent(make(long(allowed + 1)), context);
    expect(over).toMatchObject({ ok: false, disposition: 'quarantined', reason: 'too_large' });
    if (over.ok) return;
    expect(over.detail).toContain(`has ${allowed + 1} bytes, over the limit of ${allowed} (${LIMIT_SETTINGS[limit]})`);
  });

  it.each([
    ['leaseMs', (ms: number) => event('started', { worker, leaseMs: ms })],
    ['durationMs', (ms: number) => event('succeeded', { durationMs: ms })],
    ['durationMs', (ms: number) => event('succeeded', { durationMs: -ms })],
    ['timeoutMs', (ms: number) => event('queued', { timeoutMs: ms })],
    ['retryAfterMs', (ms: number) => event('failed', { error, retryAfterMs: ms })],
    ['oldestAgeMs', (ms: number) => event('jobwarden.queue.state.v1', { oldestAgeMs: ms })],
    ['leaseMs', (ms: number) => event(beat, { worker, jobs: [{ queue: 'q', id: 'j', leaseMs: ms }] })],
    ['waitedMs', (ms: number) => event(beat, { worker, jobs: [], runtime: { lockWaits: [{ resource: 'r', waitedMs: ms }] } })],
  ])('%s is bounded by 400 days', (field, make) => {
    const days400 = 400 * 86_400_000;
    expect(parseEvent(make(days400), context).ok).toBe(true);
    const over = parseEvent(make(days400 + 1), context);
    expect(over).toMatchObject({ ok: false, reason: 'too_large' });
    expect(over.ok ? '' : over.detail).toMatch(new RegExp(`${field} is -?${days400 + 1} ms, .*limits[.]duration[)]`, 'u'));
  });

  it('nesting counts the event itself, and an extension is in it too', () => {
    const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
    expect(parseEvent(event('queued', { payload: nested(30) }), context).ok).toBe(true);
    const over = parseEvent(event('queued', { payload: nested(31) }), context);
    expect(over).toMatchObject({ ok: false, reason: 'too_large', ref: { id: 'j-1' } });
    expect(over.ok ? '' : over.detail).toContain('limits.nesting (32');
    expect(parseEvent(event('queued', {}, { x: nested(32) }), context)).toMatchObject({ ok: false, reason: 'too_large' });
  });

  it('can be set', () => {
    const tight = parseContext({ hashKey, limits: { queueBytes: 3 } });
    expect(parseEvent(event('queued', { queue: 'abc' }), tight).ok).toBe(true);
    expect(parseEvent(event('queued', { queue: 'abcd' }), tight).ok).toBe(false);
  });

  it('knows the length in bytes without counting what is clearly short', () => {
    expect(bytesOver('aaa', 3)).toBeUndefined();
    expect(bytesOver('éé', 3)).toBe(4);
    expect(bytesOver('🦊', 3)).toBe(4);
    expect(bytesOver('🦊', 4)).toBeUndefined();
  });
});

describe('bodies', () => {
  it('go beside the log, with their hash in the fact and in the data', () => {
    const payload = { z: 1, a: [true, null, 'é'] };
    const { bodies, data, fact: read } = fact('queued', { payload });
    const text = JSON.stringify(payload);
    const ref = { hash: sha256(text), bytes: Buffer.byteLength(text) };
    expect(bodies).toEqual([{ role: 'payload', hash: ref.hash, bytes: Buffer.from(text) }]);
    expect(read).toMatchObject({ payload: ref });
    expect(JSON.parse(data)).toEqual({ queue: 'emails', payload: ref });
  });

  it.each([[null], [false], [0], [''], [[]]])('keep a payload of %j', (payload) => {
    expect(Buffer.from(fact('queued', { payload }).bodies[0]!.bytes).toString()).toBe(JSON.stringify(payload));
  });

  it('keep the digits of a payload’s integers beyond 2^53', () => {
    const input = parseExactly(JSON.stringify(event('queued', { payload: '§' })).replace('"§"', '{"order":9007199254740993}'));
    const parsed = parseEvent(input, context);
    expect(parsed.ok ? Buffer.from(parsed.bodies[0]!.bytes).toString() : parsed.detail).toBe('{"order":9007199254740993}');
  });

  it('cannot be forged: what an emitter sends as a payload is always a body', () => {
    const forged = { hash: '0'.repeat(64), bytes: 1 };
    expect(fact('queued', { payload: forged }).fact).toMatchObject({ payload: { hash: sha256(JSON.stringify(forged)) } });
  });

  it('are the stack and the snapshot of a failure too', () => {
    const stack = 'E: m\n    at x';
    const parsed = fact('failed', { error: { ...error, stack, hint: 'h' }, payloadSnapshot: [1] });
    expect(parsed.bodies.map((b) => [b.role, Buffer.from(b.bytes).toString()])).toEqual([
      ['snapshot', '[1]'],
      ['stack', stack],
    ]);
    expect(parsed.fact).toMatchObject({
      snapshot: { hash: sha256('[1]'), bytes: 3 },
      error: { class: 'E', message: 'm', stack: { hash: sha256(stack), bytes: stack.length } },
    });
    expect(parsed.data).not.toContain('at x');
    expect(JSON.parse(parsed.data)).toMatchObject({ error: { hint: 'h' } });
  });

  it('keep a long message whole, and the log its start', () => {
    const message = `x${'🦊'.repeat(3_000)}`;
    const parsed = fact('failed', { error: { class: 'E', message } });
    expect(parsed.bodies.map((b) => b.role)).toEqual(['message']);
    expect(Buffer.from(parsed.bodies[0]!.bytes).toString()).toBe(message);
    const kept = parsed.fact.type === 'failed' ? parsed.fact.error.message : '';
    expect(kept).toBe(`x${'🦊'.repeat(2_047)}… [12001 bytes in all]`);
    expect(fact('failed', { error: { class: 'E', message: long(8_192) } }).bodies).toEqual([]);
  });

  it('are hashed and kept as redacted', () => {
    const redactor = compileRedaction([{ match: { by: 'pattern', pattern: /secret/gu }, queue: null, replaceWith: 'x' }]);
    const rules = parseContext({ hashKey, redactor });
    const parsed = fact('failed', { error: { class: 'E', message: 'secret', stack: 'a secret' }, payloadSnapshot: { secret: 'secret' } }, rules);
    expect(parsed.bodies.map((b) => Buffer.from(b.bytes).toString())).toEqual(['{"x":"x"}', 'a x']);
    expect(parsed.bodies[1]!.hash).toBe(sha256('a x'));
    expect(JSON.stringify(parsed)).not.toContain('secret');
    expect(parsed.redacted).toEqual(['data.error.message', 'data.error.stack', 'data.payloadSnapshot.x (key)', 'data.payloadSnapshot.x']);
  });
});

describe('a stored fact', () => {
  it.each(FACT_KINDS.filter((kind) => kind !== 'heartbeat'))('reads %s back as it was parsed', (kind) => {
    const parsed = parseEvent(EXAMPLES[jobEventType(kind)], context);
    if (!parsed.ok || parsed.kind !== 'fact') throw new Error('no fact');
    const base = { source: parsed.source, id: parsed.id, ...(parsed.timeMs !== undefined && { timeMs: parsed.timeMs }) };
    const read = storedFact(kind satisfies FactType, JSON.parse(parsed.data) as Record<string, unknown>, base, { laneMs: 5, epoch: 2 });
    expect(read).toEqual({ ...parsed.fact, laneMs: 5, epoch: 2 });
  });
});
