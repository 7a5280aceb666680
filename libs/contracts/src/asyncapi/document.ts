import type { TSchema } from 'typebox';
import { EXAMPLES } from '../examples.js';
import { INCOMING_EVENTS, OUTGOING_EVENTS } from '../schemas/registry.js';
import { DEAD_LETTER_TYPE, INVALIDATION_TYPE } from '../vocabulary.js';
import { SECURITY_SCHEMES, SERVERS } from './servers.js';

type Json = Readonly<Record<string, unknown>>;

interface Channel {
  readonly title: string;
  readonly description: string;
  readonly key: string;
  /** From Jobwarden's side. */
  readonly action: 'receive' | 'send';
  readonly types: readonly string[];
  readonly settings?: Json;
}

const JOB_KEY = '`namespace/queue/id` of the job, UTF-8: messages of a job keep their order.';
const out = Object.keys(OUTGOING_EVENTS);

const CHANNELS: Readonly<Record<string, Channel>> = {
  events: {
    title: 'What happened to jobs',
    description:
      'Facts, heartbeats and queue states, from whoever emits them. The broker’s time of arrival is what leases are measured by. Records without a value, or with a type that is not known, are quarantined.',
    key: 'Anything that keeps a job together, best `namespace/queue/id`.',
    action: 'receive',
    types: Object.keys(INCOMING_EVENTS),
    settings: { 'message.timestamp.type': 'LogAppendTime' },
  },
  commands: {
    title: 'What queues and workers are to do',
    description: 'Enqueue an attempt, stop an attempt. At least once: drop repeats by the event’s id.',
    key: JOB_KEY,
    action: 'send',
    types: out.filter((type) => type.startsWith('jobwarden.command.')),
  },
  invalidations: {
    title: 'What caches must no longer serve',
    description: 'Acknowledged by the in-sync replicas before the command that names its position goes out.',
    key: JOB_KEY,
    action: 'send',
    types: [INVALIDATION_TYPE],
  },
  'dead-letters': {
    title: 'Jobs that failed for good',
    description: 'Each with its whole chain of attempts; bodies are named, not carried.',
    key: JOB_KEY,
    action: 'send',
    types: [DEAD_LETTER_TYPE],
  },
  incidents: {
    title: 'What somebody has to look at',
    description: 'Steps of incidents. The stop switch does not hold them back.',
    key: 'One for all steps of an incident, which keep their order.',
    action: 'send',
    types: out.filter((type) => type.startsWith('jobwarden.incident.')),
  },
};

/** The topics as AsyncAPI 3.0, from the same schemas as everything else. Deterministic. */
export function asyncApiDocument(): Json {
  const all = { ...INCOMING_EVENTS, ...OUTGOING_EVENTS };
  return {
    asyncapi: '3.0.0',
    id: 'urn:jobwarden',
    info: {
      title: 'Jobwarden over Kafka',
      version: 'v1',
      description: 'One topic in, four out; CloudEvents 1.0 in structured mode. Everything is delivered at least once.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/cloudevents+json',
    servers: SERVERS,
    channels: mapped(CHANNELS, channel),
    operations: Object.fromEntries(Object.entries(CHANNELS).map(operation)),
    components: {
      schemas: mapped(all, plain),
      messages: Object.fromEntries(
        Object.values(CHANNELS).flatMap((of) => of.types.map((type) => [type, message(type, of)])),
      ),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function channel(name: string, { title, description, types, settings = {} }: Channel): Json {
  return {
    address: `{prefix}${name}`,
    title,
    description,
    parameters: { prefix: { default: 'jobwarden.', description: 'JOBWARDEN_TOPIC_PREFIX' } },
    messages: Object.fromEntries(types.map((type) => [type, { $ref: `#/components/messages/${type}` }])),
    bindings: {
      kafka: { topicConfiguration: { 'cleanup.policy': ['delete'], ...settings }, bindingVersion: '0.5.0' },
    },
  };
}

function operation([name, { action, title }]: [string, Channel]): [string, Json] {
  const group = { type: 'string', description: 'The prefix and `ingest`.', examples: ['jobwarden.ingest'] };
  return [
    `${action}-${name}`,
    {
      action,
      channel: { $ref: `#/channels/${name}` },
      summary: title,
      ...(action === 'receive' && { bindings: { kafka: { groupId: group, bindingVersion: '0.5.0' } } }),
    },
  ];
}

function message(type: string, { key, action }: Channel): Json {
  return {
    name: type,
    contentType: 'application/cloudevents+json',
    headers: action === 'send' ? HEADERS_OUT : HEADERS_IN,
    payload: { $ref: `#/components/schemas/${type}` },
    bindings: { kafka: { key: { type: 'string', description: key }, bindingVersion: '0.5.0' } },
    ...(EXAMPLES[type] !== undefined && { examples: [{ name: type, payload: EXAMPLES[type] }] }),
  };
}

const HEADERS_OUT: Json = {
  type: 'object',
  required: ['content-type', 'ce_id', 'ce_type'],
  properties: {
    'content-type': { const: 'application/cloudevents+json' },
    ce_id: { type: 'string', description: 'The event’s `id`, the same at every repeat.' },
    ce_type: { type: 'string', description: 'The event’s `type`.' },
  },
};

const HEADERS_IN: Json = {
  type: 'object',
  properties: {
    'content-type': {
      type: 'string',
      description:
        '`application/cloudevents+json`, and the value is the event. In binary mode the attributes are `ce_*` headers, the value is `data`, and this is its media type.',
    },
  },
};

function mapped<T>(entries: Readonly<Record<string, T>>, make: (name: string, value: T) => unknown): Json {
  return Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, make(name, value)]));
}

/** Without what TypeBox keeps in a schema for itself. */
function plain(_name: string, schema: TSchema): unknown {
  return JSON.parse(JSON.stringify(schema));
}
