import type { DecisionKind } from '#libs/domain';
import { DECISION_KINDS, INCIDENT_STEPS } from '#libs/domain';
import { RUN_EXAMPLES, SATURATION } from './incident-examples.js';
import {
  ENQUEUE_COMMAND_TYPE,
  incidentEventType,
  INVALIDATION_TYPE,
  jobEventType,
  QUEUE_STATE_TYPE,
  RESERVED_SOURCE,
  STOP_COMMAND_TYPE,
  STUCK_TYPE,
  WORKER_HEARTBEAT_TYPE,
} from './vocabulary.js';

/** One event of each type, as documents show it and tests check it. */
export interface ExampleEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly subject: string;
  readonly type: string;
  readonly time: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const worker = { id: 'mailer-7', incarnation: '2026-01-31T11:58:02Z', revision: 'v41', track: 'stable' };
const attempt1 = { queue: 'emails', attempt: 1, token: 4294967297, worker };

function sent(type: string, data: ExampleEvent['data'], subject = 'welcome/8412'): ExampleEvent {
  return {
    specversion: '1.0',
    id: `${type.split('.').at(-2) ?? 'event'}-1`,
    source: '/services/mailer',
    subject,
    type,
    time: '2026-01-31T12:00:00Z',
    data,
  };
}

function made(type: string, data: ExampleEvent['data'], id: string, subject?: string): ExampleEvent {
  return { ...sent(type, data, subject), source: RESERVED_SOURCE, id };
}

const FACTS: readonly ExampleEvent[] = [
  sent(jobEventType('queued'), {
    queue: 'emails',
    kind: 'welcome',
    payload: { to: 'customer-8412', template: 'welcome' },
    maxRetries: 3,
    notBefore: '2026-01-31T12:05:00Z',
    timeoutMs: 60_000,
    invalidates: { keys: ['customer:8412:mails'], tags: ['mails'] },
  }),
  sent(jobEventType('claimed'), { ...attempt1, leaseMs: 30_000 }),
  sent(jobEventType('started'), { ...attempt1, leaseMs: 30_000 }),
  sent(jobEventType('heartbeat'), { ...attempt1, leaseMs: 30_000, progress: { sent: 3, of: 10 } }),
  sent(jobEventType('released'), { ...attempt1, reason: 'shutting down' }),
  sent(jobEventType('lease-renewal-failed'), { queue: 'emails', attempt: 1, worker, reason: 'connect ECONNREFUSED' }),
  sent(jobEventType('succeeded'), { ...attempt1, durationMs: 1_834, invalidates: { keys: [], tags: ['mails'] } }),
  sent(jobEventType('failed'), {
    ...attempt1,
    durationMs: 912,
    error: { class: 'SmtpError', message: 'mailbox full', code: 'E552', responseStatus: 552, stack: 'SmtpError: mailbox full\n    at send (mailer.js:41:9)' },
    retryable: true,
    retryAfterMs: 5_000,
    payloadSnapshot: { to: 'customer-8412', template: 'welcome' },
  }),
  sent(jobEventType('cancelled'), { queue: 'emails', reason: 'the customer has left', by: 'crm', attempt: 1 }),
  sent(
    WORKER_HEARTBEAT_TYPE,
    {
      worker,
      jobs: [{ queue: 'emails', id: 'welcome/8412', attempt: 1, token: 4294967297, leaseMs: 30_000, progress: 0.3 }],
      runtime: {
        heapUsed: 81_264_640,
        heapLimit: 4_345_298_944,
        rss: 190_840_832,
        loopLagMs: 2.4,
        poolInUse: 3,
        poolWaiting: 0,
        lockWaits: [{ resource: 'customer:8412', holder: 'mailer-3', waitedMs: 120 }],
      },
    },
    'mailer-7',
  ),
  sent(QUEUE_STATE_TYPE, { waiting: 412, oldestAgeMs: 93_000, paused: false }, 'emails'),
];

const command = { queue: 'emails', n: 2, attempt: 2, token: 4294967298 };

const OUTGOING: readonly ExampleEvent[] = [
  made(
    ENQUEUE_COMMAND_TYPE,
    {
      ...command,
      reason: 'lost',
      previousWorker: worker,
      progress: { sent: 3, of: 10 },
      payload: { to: 'customer-8412', template: 'welcome' },
      invalidation: { shard: 3, number: 1_207 },
      deadline: '2026-01-31T12:03:00Z',
    },
    'command/2',
  ),
  made(STOP_COMMAND_TYPE, { ...command, attempt: 1, token: 4294967297, reason: 'finished', worker }, 'command/3'),
  made(
    INVALIDATION_TYPE,
    {
      keys: ['customer:8412:mails'],
      tags: ['mails'],
      cause: 'requeue',
      queue: 'emails',
      jobId: 'welcome/8412',
      attempt: 2,
      position: { shard: 3, number: 1_207 },
    },
    'invalidation/3/1207',
  ),
];

const incident = {
  incidentId: '17',
  kind: 'lane_out_of_range',
  subject: 'kafka/jobwarden.events/3',
  summary: 'offset 4711 is wanted, the oldest that is left is 5200',
  openedAt: '2026-01-31T12:00:00Z',
};

const INCIDENTS: readonly ExampleEvent[] = [
  made(
    incidentEventType('opened'),
    { ...incident, n: 1, by: 'jobwarden', reason: incident.summary, evidence: { wanted: 4_711, low: 5_200, high: 9_013 } },
    'incident-3-1208-x',
    '17',
  ),
  made(
    incidentEventType('noted'),
    { ...incident, n: 2, by: 'jobwarden', reason: 'offset 4711 is wanted, the oldest that is left is 5900' },
    'incident-3-1214-x',
    '17',
  ),
  made(
    incidentEventType('resolved'),
    { ...incident, n: 3, by: 'operator:ada', reason: 'goes on at 5900; the gap was replayed from the archive' },
    'incident-3-1230-x',
    '17',
  ),
  ...INCIDENT_STEPS.flatMap((step, i) => {
    const example = RUN_EXAMPLES[step];
    const id = `incident-5-${String(2_000 + i)}-x`;
    return example === undefined ? [] : [made(incidentEventType(step), { ...SATURATION, n: i, ...example }, id, SATURATION.incidentId)];
  }),
];

const STUCK = made(
  STUCK_TYPE,
  {
    queue: 'emails',
    windowStart: '2026-01-31T12:00:00Z',
    windowEnd: '2026-01-31T12:01:00Z',
    count: 1,
    verdicts: { lost: 1 },
    outcomes: { 'would-have': 1 },
    jobs: [
      {
        id: 'welcome/8412',
        attempt: 1,
        verdict: 'lost',
        worker: 'mailer-7',
        since: '2026-01-31T12:00:12Z',
        threshold: { source: 'default', ms: 30_000 },
        level: 'observe',
        action: 'requeue',
        outcome: 'would-have',
        decisions: ['restart-requested'],
      },
    ],
    more: 0,
    link: '/v1/verdicts?queue=emails',
  },
  'stuck-1-x',
  'emails',
);

/** What a decision of each kind adds to the fields that all have. */
const ADDS: Partial<Record<DecisionKind, ExampleEvent['data']>> = {
  'retry-scheduled': { reason: 'failed', dueAt: '2026-01-31T12:00:01Z' },
  'restart-requested': {
    reason: 'lost',
    evidence: { verdict: 'lost', lastBeatAt: '2026-01-31T11:59:30Z', threshold: { source: 'default', ms: 30_000 } },
    previousWorker: worker,
  },
  requeued: { attempt: 2, token: 4294967298, reason: 'lost', previousWorker: worker },
  'dead-lettered': {
    reason: 'retries_exhausted',
    attempt: 4,
    kind: 'welcome',
    chain: [
      { attempt: 4, token: 4294967300, ended: 'failed', at: '2026-01-31T12:09:00Z', worker, error: { class: 'SmtpError', message: 'mailbox full' } },
    ],
    redrives: 0,
  },
  cancelled: { reason: 'the customer has left', by: 'crm', answers: { source: '/services/crm', id: 'c-1' } },
  'resolved-by-hand': { reason: 'sent by hand', by: 'operator:ada' },
  'limits-changed': { reason: 'slow mail host', by: 'operator:ada', limits: { maxRetries: 5, timeoutMs: 120_000 } },
  'write-refused': { reason: 'superseded', answers: { source: '/services/mailer', id: 'succeeded-1' } },
};

function decision(kind: DecisionKind): ExampleEvent {
  const shared = { queue: 'emails', n: 1, attempt: 1, reason: 'operator', by: 'jobwarden', ...ADDS[kind] };
  return made(jobEventType(kind), shared, 'decision/1');
}

/** By event type. `jobwarden.job.cancelled.v1` is the request; its decision is in {@link DECISION_EXAMPLES}. */
export const EXAMPLES: Readonly<Record<string, ExampleEvent>> = Object.fromEntries(
  [...FACTS, ...OUTGOING, ...INCIDENTS, STUCK, decision('dead-lettered')].map((event) => [event.type, event]),
);

/** By kind of decision, as a job's timeline shows them. */
export const DECISION_EXAMPLES = Object.fromEntries(DECISION_KINDS.map((kind) => [kind, decision(kind)])) as Readonly<
  Record<DecisionKind, ExampleEvent>
>;

