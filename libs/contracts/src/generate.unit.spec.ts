import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Compile } from 'typebox/compile';
import { describe, expect, it } from 'vitest';
import { INCIDENT_STEPS } from '#libs/domain';
import { DECISION_EXAMPLES, EXAMPLES, type ExampleEvent } from './examples.js';
import { contractDocuments } from './generate.js';
import { REST_SCHEMAS } from './rest/registry.js';
import { DECISION_EVENTS } from './schemas/decisions.js';
import { INCOMING_EVENTS, OUTGOING_EVENTS, WEBHOOK_EVENTS } from './schemas/registry.js';

const documents = contractDocuments();
const EVENTS = { ...INCOMING_EVENTS, ...OUTGOING_EVENTS, ...WEBHOOK_EVENTS };

function ajv(): Ajv2020 {
  const instance = new Ajv2020({ strict: true, allErrors: true });
  addFormats.default(instance);
  return instance;
}

/** Both validators of one event type: that of the published document, and that of the hot path. */
function validatorsOf(type: string): { published: (value: unknown) => boolean; compiled: (value: unknown) => boolean } {
  const document = documents.get(`${type}.schema.json`);
  if (document === undefined || EVENTS[type] === undefined) throw new Error(`no document of ${type}`);
  const published = ajv().compile(document);
  const compiled = Compile(EVENTS[type]);
  return { published: (value) => published(value), compiled: (value) => compiled.Check(value) };
}

type Change = (data: Record<string, unknown>, event: Record<string, unknown>) => void;
const without = (key: string): Change => (data) => void Reflect.deleteProperty(data, key);
const set = (key: string, value: unknown): Change => (data) => void (data[key] = value);
const BROKEN: Record<string, Change[]> = {
  'jobwarden.stuck.v1': [without('queue'), without('jobs'), set('count', -1), set('jobs', [{ id: 'x' }]), set('link', 7)],
  'jobwarden.job.queued.v1': [
    without('queue'),
    set('queue', ''),
    set('maxRetries', 101),
    set('maxRetries', 1.5),
    set('payloadRef', 'with a payload'),
    set('notBefore', 'tomorrow'),
    set('timeoutMs', 0),
    set('invalidates', { keys: 'a' }),
  ],
  'jobwarden.job.claimed.v1': [without('worker'), set('attempt', 0)],
  'jobwarden.job.started.v1': [without('worker'), set('worker', {}), set('worker', 'w'), set('attempt', '1'), set('token', -1), set('leaseMs', 0)],
  'jobwarden.job.heartbeat.v1': [set('leaseMs', '30s'), set('attempt', 2 ** 32)],
  'jobwarden.job.released.v1': [set('reason', 5)],
  'jobwarden.job.lease-renewal-failed.v1': [without('reason')],
  'jobwarden.job.succeeded.v1': [set('durationMs', '1s'), set('token', 2 ** 53)],
  'jobwarden.job.failed.v1': [without('error'), set('error', { class: 'E' }), set('error', 'E'), set('retryable', 'no'), set('retryAfterMs', -1)],
  'jobwarden.job.cancelled.v1': [set('by', ''), set('attempt', 0)],
  'jobwarden.worker.heartbeat.v1': [without('jobs'), without('worker'), set('jobs', [{ queue: 'q' }]), set('runtime', { rss: -1 })],
  'jobwarden.queue.state.v1': [set('waiting', -1), set('paused', 'yes')],
  'jobwarden.command.enqueue.v1': [without('token'), without('reason'), set('invalidation', { shard: 1 })],
  'jobwarden.command.stop.v1': [without('attempt')],
  'jobwarden.invalidation.v1': [set('cause', 'because'), without('position'), set('keys', [1])],
  'jobwarden.job.dead-lettered.v1': [without('n'), set('chain', [{ attempt: 1 }])],
  'jobwarden.incident.opened.v1': [without('incidentId'), without('summary'), set('n', 0), set('by', '')],
  'jobwarden.incident.noted.v1': [without('kind'), set('evidence', 'text')],
  'jobwarden.incident.resolved.v1': [without('reason'), set('openedAt', 'yesterday'), set('queue', '')],
};
for (const step of INCIDENT_STEPS) BROKEN[`jobwarden.incident.${step}.v1`] ??= [without('incidentId'), set('n', 0), set('evidence', 'text')];
const BROKEN_ENVELOPE: Change[] = [
  (_data, event) => void Reflect.deleteProperty(event, 'id'),
  (_data, event) => void (event['specversion'] = '0.3'),
  (_data, event) => void (event['source'] = ''),
  (_data, event) => void (event['subject'] = 7),
  (_data, event) => void (event['time'] = 'yesterday'),
  (_data, event) => void (event['type'] = 'jobwarden.job.other.v1'),
  (_data, event) => void (event['data'] = 'text'),
  (_data, event) => void Reflect.deleteProperty(event, 'data'),
];

function changed(example: ExampleEvent, change: Change): Record<string, unknown> {
  const copy = structuredClone(example) as unknown as Record<string, unknown>;
  change(copy['data'] as Record<string, unknown>, copy);
  return copy;
}

describe('the documents of the contract', () => {
  it('are JSON Schema 2020-12 under one name each', () => {
    const ids = [...documents.values()].map((document) => document['$id']);
    expect(new Set(ids).size).toBe(documents.size);
    for (const document of documents.values()) expect(() => ajv().compile(document)).not.toThrow();
  });

  it('describe every field', () => {
    const bare: string[] = [];
    for (const [type, schema] of Object.entries(INCOMING_EVENTS)) collectBare(schema, type, bare);
    expect(bare).toEqual([]);
  });

  it.each(Object.keys(EVENTS))('take the example of %s, by both validators', (type) => {
    const { published, compiled } = validatorsOf(type);
    expect(EXAMPLES[type]).toMatchObject({ type });
    expect([published(EXAMPLES[type]), compiled(EXAMPLES[type])]).toEqual([true, true]);
  });

  it.each(Object.keys(EVENTS))('refuse every broken twin of %s, by both validators', (type) => {
    const { published, compiled } = validatorsOf(type);
    const changes = [...(BROKEN[type] ?? []), ...BROKEN_ENVELOPE];
    expect(changes.length).toBeGreaterThan(BROKEN_ENVELOPE.length);
    for (const [i, change] of changes.entries()) {
      const twin = changed(EXAMPLES[type]!, change);
      expect([i, published(twin), compiled(twin)]).toEqual([i, false, false]);
    }
  });

  it('have an example of each decision, and refuse one without a number', () => {
    const document = documents.get('job-decisions.schema.json')!;
    for (const [kind, example] of Object.entries(DECISION_EXAMPLES)) {
      const published = ajv().compile((document['$defs'] as Record<string, object>)[kind]!);
      const compiled = Compile(DECISION_EVENTS[kind as keyof typeof DECISION_EVENTS]);
      expect([kind, published(example), compiled.Check(example)]).toEqual([kind, true, true]);
      const twin = changed(example, without('n'));
      expect([kind, published(twin), compiled.Check(twin)]).toEqual([kind, false, false]);
    }
  });

  it('hold a body for each name of the REST API', () => {
    const defs = documents.get('rest.schema.json')!['$defs'] as Record<string, object>;
    expect(Object.keys(defs)).toEqual(Object.keys(REST_SCHEMAS));
    for (const [name, schema] of Object.entries(defs)) expect(() => ajv().compile(schema), name).not.toThrow();
  });

  it('check a job’s detail and a problem', () => {
    const detail = {
      namespace: 'default',
      queue: 'emails',
      id: 'j',
      kind: null,
      status: 'queued',
      attempt: 1,
      n: 0,
      token: 1,
      waitsFor: 'queued',
      since: '2026-01-31T12:00:00.000Z',
      lookAt: null,
      attempts: [],
      decisions: [],
      anomalies: [{ code: 'queued_again', attempt: 0 }],
    };
    const check = (name: string, value: unknown) => Compile(REST_SCHEMAS[name]!).Check(value);
    expect(check('JobDetail', detail)).toBe(true);
    expect(check('JobDetail', { ...detail, status: 'stuck' })).toBe(false);
    expect(check('JobDetail', { ...detail, anomalies: [{ code: 'odd', attempt: 0 }] })).toBe(false);
    expect(check('ProblemDetails', { type: 'about:blank', title: 't', status: 409, code: 'finished' })).toBe(true);
    expect(check('ProblemDetails', { type: 'about:blank', title: 't', status: 200, code: 'finished' })).toBe(false);
  });
});

function collectBare(schema: unknown, path: string, bare: string[]): void {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties, items } = schema as { properties?: Record<string, { description?: string }>; items?: unknown };
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (key !== 'data' && (value.description ?? '') === '') bare.push(`${path}.${key}`);
    collectBare(value, `${path}.${key}`, bare);
  }
  if (items !== undefined) collectBare(items, `${path}[]`, bare);
}
