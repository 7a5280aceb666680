import { LEVELS, type Level, type StuckAfter } from '#libs/domain';
import { field, type FieldTable } from './fields.js';
import type { PolicySettings } from './policy-settings.js';
import { DAY_MS } from './quantities.js';
import { duration, integer, number, oneOf, orWord, yesOrNo, type Reader } from './readers.js';

const stuckAfter: Reader<StuckAfter> = {
  type: 'duration, `learned` or `off`',
  rule: '1ms to 400d',
  read(tree) {
    const word = tree.kind === 'scalar' ? tree.text : '';
    if (word === 'learned' || word === 'off') return { ok: true, value: { mode: word } };
    const reading = duration({ min: 1 }).read(tree);
    return reading.ok
      ? { ok: true, value: { mode: 'fixed', ms: reading.value } }
      : { ...reading, mend: `${reading.mend}, or "learned" or "off"` };
  },
};

const level = oneOf<Level>(LEVELS);

/** When a job is stuck or has failed, and what is done about it. */
export const JOB_FIELDS = {
  'actions.retry': field('observe', level, 'Requeue after a failure that may be retried.'),
  'actions.requeue': field('observe', level, 'Restart and requeue what is lost or hung.'),
  'actions.deadLetter': field('observe', level, 'Take out what has failed for good.'),
  'actions.throttle': field('observe', level, 'Slow down the intake of a saturated queue.'),
  'actions.rollback': field('observe', level, 'Take a bad worker release out of service.'),
  owner: field(
    'jobwarden',
    oneOf(['jobwarden', 'queue']),
    "Who retries and recovers. `jobwarden`: the queue's own retries are off. `queue`: act only after `ownerWait` without a newer attempt, or when the queue gave up.",
  ),
  ownerWait: field('2m', duration(), 'With `owner: queue`: how long the queue has for its own recovery.'),
  claims: field(
    'off',
    oneOf(['off', 'required']),
    '`required`: a worker must claim a job before it runs it, and writes with an old token are refused.',
  ),
  idempotent: field(false, yesOrNo, 'Your promise that running a job twice does no harm.'),
  dedupes: field(
    false,
    yesOrNo,
    'The consumer of commands drops repeats by job, attempt and token, so that sending one again is harmless.',
  ),
  heartbeatTransport: field(
    'auto',
    oneOf(['auto', 'http', 'kafka']),
    'How heartbeats of this queue arrive. `auto`: learned.',
  ),
  heartbeats: field(
    'auto',
    oneOf(['auto', 'expected', 'none']),
    '`auto`: under a lease once a lease or a heartbeat was seen. `expected`: from the start on. `none`: never.',
  ),
  lease: field(
    '30s',
    duration({ min: 100, max: 30 * DAY_MS }),
    'How long a worker counts as alive after its last heartbeat, unless the event says otherwise.',
  ),
  heartbeatEvery: field(
    'auto',
    orWord('auto', null, duration({ min: 10 })),
    'How often workers beat. `auto`: a third of `lease`.',
  ),
  grace: field(
    '15s',
    duration(),
    'From the request to restart until the requeue: time for the old worker to stop, or to prove that it lives.',
  ),
  stuckAfter: field(
    'learned',
    stuckAfter,
    'Without a lease: run time after which a job is lost. `learned`: twice the p99 of the runs of its kind, else of its queue, 1m to 30d; 1h until there are runs enough.',
  ),
  hardTimeout: field(
    'off',
    orWord('off', null, duration({ min: 1 })),
    'Run time after which a job is hung, heartbeats or not.',
  ),
  startBy: field('10m', duration({ min: 1 }), 'Wait for a start after which a job is reported as starved.'),
  maxRetries: field(
    3,
    integer({ min: 0, max: 100 }),
    'Retries after the first attempt, counted from the last redrive.',
  ),
  'backoff.initial': field('1s', duration(), 'Wait before the first retry after a failure.'),
  'backoff.factor': field(2, number({ min: 1, max: 100, open: false }), 'What each further wait is multiplied by.'),
  'backoff.max': field('5m', duration(), 'The longest wait.'),
  'backoff.jitter': field(
    0.2,
    number({ min: 0, max: 1, open: false }),
    'Share of the wait that is added, more or less of it by a hash of the job.',
  ),
  republish: field(
    3,
    integer({ min: 0, max: 100 }),
    'How often a command that led to no start goes out again, where copies are harmless.',
  ),
  maxRedrives: field(3, integer({ min: 0, max: 1_000 }), 'How often a job may be redriven out of the dead letters.'),
  poisonAfter: field(
    'off',
    orWord('off', null, integer({ min: 1, max: 1_000 })),
    'Lost so often in a row, without a word of its workers: a poison pill, dead-lettered at once. `off`: once the retries are used up.',
  ),
} satisfies Partial<FieldTable<PolicySettings>>;
