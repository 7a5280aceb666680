import { ACTIONS, LEVELS, type Level, type QueuePolicy, type StuckAfter } from '#libs/domain';
import type { Field, FieldTable } from './fields.js';
import { defaultOf } from './fields.js';
import { envNameReader } from './env-name.js';
import { targetReader } from './orchestrators.js';
import { percents } from './percents.js';
import { DAY_MS } from './quantities.js';
import { duration, integer, number, oneOf, orWord, text, yesOrNo, type Reader } from './readers.js';

/** The settings of one layer of the policy file, by the name they have there. Durations in ms. */
export interface PolicySettings {
  readonly 'actions.retry': Level;
  readonly 'actions.requeue': Level;
  readonly 'actions.deadLetter': Level;
  readonly 'actions.throttle': Level;
  readonly 'actions.rollback': Level;
  readonly owner: QueuePolicy['owner'];
  readonly ownerWait: number;
  readonly claims: QueuePolicy['claims'];
  readonly idempotent: boolean;
  readonly dedupes: boolean;
  readonly heartbeatTransport: QueuePolicy['heartbeatTransport'];
  readonly heartbeats: QueuePolicy['heartbeats'];
  readonly lease: number;
  /** null = a third of the lease. */
  readonly heartbeatEvery: number | null;
  readonly grace: number;
  readonly stuckAfter: StuckAfter;
  readonly hardTimeout: number | null;
  readonly startBy: number;
  readonly maxRetries: number;
  readonly 'backoff.initial': number;
  readonly 'backoff.factor': number;
  readonly 'backoff.max': number;
  readonly 'backoff.jitter': number;
  readonly republish: number;
  readonly maxRedrives: number;
  readonly poisonAfter: number | null;
  readonly 'budget.perSecond': number;
  /** null = twice `perSecond`. */
  readonly 'budget.burst': number | null;
  readonly 'blackout.minWorkers': number;
  readonly 'blackout.share': number;
  readonly 'blackout.holdMax': number;
  readonly 'probing.share': number;
  readonly 'probing.probes': number;
  readonly 'probing.every': number;
  readonly 'saturation.ratio': number;
  readonly 'saturation.unprocessed': number;
  readonly 'saturation.for': number;
  readonly 'saturation.window': number;
  readonly 'saturation.minProcessed': number;
  readonly 'saturation.recoverBelow': number;
  readonly retention: number;
  readonly approvalFor: number;
  readonly fallback: boolean;
  readonly fallbackQueue: string | null;
  readonly schema: string | null;
  readonly 'rollback.target': string | null;
  readonly 'rollback.scaleToZero': boolean;
  readonly 'rollback.coolDown': number;
  readonly 'rollback.approval': boolean;
  readonly 'rollback.writesPerMinute': number;
  readonly 'rollback.watch': number;
  readonly 'rollback.onAbort': 'lift' | 'keep';
  readonly 'rollback.schema.databaseUrlEnv': string | null;
  readonly 'rollback.schema.query': string | null;
  readonly 'readmit.steps': readonly number[];
  readonly 'readmit.hold': number;
  readonly 'readmit.falls': number;
  readonly 'readmit.maxRatio': number;
  readonly 'readmit.minSample': number;
  readonly 'gate.alpha': number;
  readonly 'gate.margin': number;
  readonly 'gate.runTimeFactor': number | null;
  readonly 'gate.minSample': number;
  readonly 'gate.window': number;
}

export type SettingKey = keyof PolicySettings;

function field<Value>(
  written: Field<Value>['written'],
  reader: Reader<Value>,
  meaning: string,
  unit?: string,
): Field<Value> {
  return unit === undefined ? { reader, written, meaning } : { reader, written, meaning, unit };
}

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
const name = (what: string): Reader<string | null> => orWord('none', null, text({ min: 1, max: 1_024 }, what));
export const BUDGET_RATE = number({ min: 0, max: 1_000_000, open: true });
export const BUDGET_BURST = orWord('auto', null, integer({ min: 1, max: 10_000_000 }));

/** The one list of policy settings; file, defaults and reference page all follow it. */
export const POLICY_FIELDS: FieldTable<PolicySettings> = {
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
  'budget.perSecond': field(50, BUDGET_RATE, 'Requeues of this queue per second.', '1/s'),
  'budget.burst': field(
    'auto',
    BUDGET_BURST,
    'Requeues that may go out at once after a quiet time. `auto`: twice `perSecond`.',
  ),
  'blackout.minWorkers': field(5, integer({ min: 1, max: 1_000_000 }), 'So many workers lost at once, and …'),
  'blackout.share': field(
    0.3,
    number({ min: 0, max: 1, open: true }),
    '… more than this share of all: recovery is held, no attempts are spent. 1: never.',
  ),
  'blackout.holdMax': field('10m', duration(), 'The longest hold, where the lane is proved alive.'),
  'probing.share': field(
    0.8,
    number({ min: 0, max: 1, open: true }),
    'When more than this share of requeued attempts fails again, only probes go out until one succeeds. 1: never.',
  ),
  'probing.probes': field(3, integer({ min: 1, max: 1_000 }), 'So many probes at a time.'),
  'probing.every': field('30s', duration({ min: 1_000 }), 'How often probes go out.'),
  'saturation.ratio': field(
    0.25,
    number({ min: 0, max: 1, open: true }),
    'More than this share of the attempts that ended has failed or was lost, and … 1: never.',
  ),
  'saturation.unprocessed': field(5_000, integer({ min: 0, max: 1_000_000_000 }), '… more jobs than these wait, for …'),
  'saturation.for': field('1m', duration({ min: 0, max: DAY_MS }), '… so long: the queue is critically saturated.'),
  'saturation.window': field('2m', duration({ min: 10_000, max: 3_600_000 }), 'Attempts count that ended within so long.'),
  'saturation.minProcessed': field(
    20,
    integer({ min: 1, max: 1_000_000 }),
    'Fewer attempts than these within the window say nothing: one failure of one is no ratio.',
  ),
  'saturation.recoverBelow': field(
    0.1,
    number({ min: 0, max: 1, open: true }),
    'Below this share for as long as `saturation.for` the queue is saturated no more.',
  ),
  retention: field('30d', duration({ min: 60_000 }), 'How long finished jobs are kept, from when they were first seen; and dead letters, from their death: then they are discarded.'),
  approvalFor: field(
    '15m',
    duration({ min: 1_000 }),
    'How long an approval holds: what is not decided by then, because something holds it, has to be approved again.',
  ),
  fallback: field(
    true,
    yesOrNo,
    'When an attempt that was given up at `act` shows that it lives, or ends by itself, the action falls back to `observe`.',
  ),
  fallbackQueue: field('none', name('the name of a queue'), 'Other workers for requeues: their commands go to those who read the commands of this queue; the job keeps its own. One hop; not while it is paused.'),
  schema: field(
    'none',
    name('the path of a JSON Schema file'),
    'JSON Schema of the payload: a file, by its path from this file’s folder. A payload that is patched by hand must fit it.',
  ),
  'rollback.target': field('none', orWord('none', null, targetReader), 'The workers that are rolled back ([targets](rollback.md#targets)). `none`: a bad revision is isolated by quarantine alone.'),
  'rollback.scaleToZero': field(
    false,
    yesOrNo,
    'A bad worker corrupts data: stop all of them rather than let one run on.',
  ),
  'rollback.coolDown': field('30m', duration(), 'Time after a run that acted, or would have, in which no signal of its target opens another, nor, without a target, one of its saturated queues for the cause that it found ([what is put off](saturation.md#what-it-never-does)): counted from the last thing that it did, its end included.'),
  'rollback.approval': field(true, yesOrNo, 'A person has to approve.'),
  'rollback.writesPerMinute': field(
    6,
    integer({ min: 2, max: 60 }),
    'Calls that write to the cluster, per incident and minute, whatever goes wrong.',
  ),
  'rollback.watch': field(
    '1m',
    duration({ min: 1_000, max: DAY_MS }),
    'So long after a rollback the incident stays open, to see whether somebody puts the bad release back; longer than a controller of GitOps takes from one look at its repository to the next.',
  ),
  'rollback.onAbort': field('lift', oneOf(['lift', 'keep']), 'What becomes of the throttle when a person aborts a run.'),
  'rollback.schema.databaseUrlEnv': field(
    'none',
    orWord('none', null, envNameReader),
    'The variable that holds the address of the database that the workers write to (`postgres://…`), which is asked for the version of its schema before a release is chosen ([schemas](rollback.md#schemas)). With `query`.',
  ),
  'rollback.schema.query': field(
    'none',
    name('one SQL statement'),
    'What that database is asked, read-only and for 3 s at most: one row of one value, such as `select max(version) from schema_migrations`. Anything else is `schema_unknown`.',
  ),
  'readmit.steps': field('1, 10, 25, 50, 100', percents, 'Shares of the normal rate that a saturated queue lets in, rising; the first one from the start on.'),
  'readmit.hold': field('30s', duration({ min: 1_000, max: DAY_MS }), 'How long each share is held.'),
  'readmit.falls': field(3, integer({ min: 1, max: 100 }), 'So many falls back by a step, and a person has to look.'),
  'readmit.maxRatio': field(
    0.1,
    number({ min: 0, max: 1, open: false }),
    'Share of attempts that fail above which a step is taken back, and up to which a rollback counts as verified.',
  ),
  'readmit.minSample': field(20, integer({ min: 1, max: 1_000_000 }), 'Fewer attempts than these say nothing.'),
  'gate.alpha': field(
    0.05,
    number({ min: 0.000_1, max: 0.5, open: false }),
    'Chance that a canary as good as stable is called unhealthy over a whole rollout, however often one looks ([canary gate](canary.md)).',
  ),
  'gate.margin': field(
    0.02,
    number({ min: 0.001, max: 0.5, open: false }),
    'Share by which a canary may fail more often than stable and be healthy: 0.02 is two in a hundred.',
  ),
  'gate.runTimeFactor': field(
    1.5,
    orWord('off', null, number({ min: 1.5, max: 100, open: false })),
    'A canary that takes less than so many times as long as stable is healthy. `off`: run times are not judged.',
  ),
  'gate.minSample': field(20, integer({ min: 1, max: 1_000_000 }), 'Before so many attempts of canary and of stable have ended, nothing is said of them.'),
  'gate.window': field('1h', duration({ min: 60_000, max: DAY_MS }), 'How far the gate looks back, at most to when the canary was first heard of. Above 1h it looks in stretches of 5m.'),
};

export const SETTING_KEYS = Object.keys(POLICY_FIELDS) as readonly SettingKey[];

/** The keys that `actions: act` sets at once. */
export const ACTION_KEYS = ACTIONS.map((action) => `actions.${action}` as const);

export const DEFAULT_SETTINGS: PolicySettings = readDefaults();

function readDefaults(): PolicySettings {
  const settings: { [Key in SettingKey]?: PolicySettings[Key] } = {};
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- ties the value to its key
  const set = <Key extends SettingKey>(key: Key): void => {
    settings[key] = defaultOf(POLICY_FIELDS[key]);
  };
  for (const key of SETTING_KEYS) set(key);
  return Object.freeze(settings) as PolicySettings;
}
