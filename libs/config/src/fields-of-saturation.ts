import { envNameReader } from './env-name.js';
import { field, type FieldTable } from './fields.js';
import { targetReader } from './orchestrators.js';
import { percents } from './percents.js';
import type { PolicySettings } from './policy-settings.js';
import { DAY_MS } from './quantities.js';
import { duration, integer, number, oneOf, orWord, textOrNone, yesOrNo } from './readers.js';

/** When a queue is saturated. */
export const SATURATION_FIELDS = {
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
} satisfies Partial<FieldTable<PolicySettings>>;

/** What is done about a bad release, and how work is let in again. */
export const ROLLBACK_FIELDS = {
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
    textOrNone('one SQL statement'),
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
} satisfies Partial<FieldTable<PolicySettings>>;
