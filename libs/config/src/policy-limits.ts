import { DEFAULT_LIMITS } from '#libs/contracts';
import type { FaultLog } from './fault-log.js';
import { defaultOf, readFields, type Field, type FieldTable, type PlacedSettings } from './fields.js';
import { BURST_RULE, burstFault } from './policy-rules.js';
import { BUDGET_BURST, BUDGET_RATE } from './fields-of-guards.js';
import type { IntakeLimits, PolicyFile } from './policy-types.js';
import { formatDuration, formatSize } from './quantities.js';
import { duration, integer, size } from './readers.js';
import { burstOf } from './to-queue-policy.js';
import type { Tree } from './yaml-tree.js';

/** The sections that hold for the whole installation: `limits` and `budget`. */
interface LimitSettings {
  readonly jobId: number;
  readonly queue: number;
  readonly namespace: number;
  readonly source: number;
  readonly eventId: number;
  readonly field: number;
  readonly text: number;
  readonly body: number;
  readonly batch: number;
  readonly nesting: number;
  readonly duration: number;
  readonly queueLabels: number;
}

interface BudgetSettings {
  readonly perSecond: number;
  readonly burst: number | null;
}

export const LIMIT_FIELDS: FieldTable<LimitSettings> = {
  jobId: bytes(DEFAULT_LIMITS.jobIdBytes, 8_192, 'Longest job id, in bytes of UTF-8.'),
  queue: bytes(DEFAULT_LIMITS.queueBytes, 1_024, 'Longest queue name; of kinds and namespaces in this file too.'),
  namespace: bytes(DEFAULT_LIMITS.namespaceBytes, 1_024, 'Longest namespace.'),
  source: bytes(DEFAULT_LIMITS.sourceBytes, 8_192, 'Longest `source` of an event.'),
  eventId: bytes(DEFAULT_LIMITS.eventIdBytes, 8_192, 'Longest `id` of an event.'),
  field: bytes(
    DEFAULT_LIMITS.fieldBytes,
    8_192,
    'Longest worker id, incarnation, revision, track, kind, error class and code.',
  ),
  text: bytes(
    DEFAULT_LIMITS.textBytes,
    1_048_576,
    'Longest `reason`, `payloadRef` and cache key; a longer error message is cut in the log.',
  ),
  body: {
    reader: size({ min: 1_024, max: 67_108_864 }),
    written: formatSize(DEFAULT_LIMITS.bodyBytes),
    meaning: 'Largest body of a request.',
  },
  batch: {
    reader: integer({ min: 1, max: 10_000 }),
    written: DEFAULT_LIMITS.batchEvents,
    meaning: 'Most events in one request.',
  },
  nesting: {
    reader: integer({ min: 4, max: 128 }),
    written: DEFAULT_LIMITS.nesting,
    meaning: 'How deep objects and arrays may lie inside each other, the event being the first.',
  },
  duration: {
    reader: duration({ min: 1_000 }),
    written: formatDuration(DEFAULT_LIMITS.durationMs),
    meaning: 'Longest duration in an event.',
  },
  queueLabels: {
    reader: integer({ min: 1, max: 10_000 }),
    written: 1_000,
    meaning: 'Queue names with a metric label of their own; the others share `other`. Read at start.',
  },
};

export const BUDGET_FIELDS: FieldTable<BudgetSettings> = {
  perSecond: {
    reader: BUDGET_RATE,
    written: 200,
    unit: '1/s',
    meaning: 'Requeues of the whole installation per second.',
  },
  burst: {
    reader: BUDGET_BURST,
    written: 'auto',
    meaning: 'Requeues that may go out at once after a quiet time. `auto`: twice `perSecond`.',
  },
};

function bytes(written: number, max: number, meaning: string): Field<number> {
  return { reader: size({ min: 16, max }), written, unit: 'B', meaning };
}

export function readLimits(tree: Tree | undefined, log: FaultLog): IntakeLimits {
  const found = tree === undefined ? {} : readFields({ tree, path: 'limits', log }, LIMIT_FIELDS);
  const of = (key: keyof LimitSettings): number => valueOf(found, LIMIT_FIELDS[key], key);
  return Object.freeze({
    jobIdBytes: of('jobId'),
    queueBytes: of('queue'),
    namespaceBytes: of('namespace'),
    sourceBytes: of('source'),
    eventIdBytes: of('eventId'),
    fieldBytes: of('field'),
    textBytes: of('text'),
    bodyBytes: of('body'),
    batchEvents: of('batch'),
    nesting: of('nesting'),
    durationMs: of('duration'),
    queueLabels: of('queueLabels'),
  });
}

export function readBudget(tree: Tree | undefined, log: FaultLog): PolicyFile['budget'] {
  const found = tree === undefined ? {} : readFields({ tree, path: 'budget', log }, BUDGET_FIELDS);
  const perSecond = valueOf(found, BUDGET_FIELDS.perSecond, 'perSecond');
  const burst = valueOf(found, BUDGET_FIELDS.burst, 'burst');
  const fault = burstFault(perSecond, burst);
  const placed = found.burst ?? found.perSecond;
  if (fault !== null && placed !== undefined) log.add(BURST_RULE, placed.place, placed.path, fault.rule, fault.mend);
  return Object.freeze({ perSecond, burst: burst ?? burstOf(perSecond) });
}

function valueOf<Settings, Key extends keyof Settings>(
  found: PlacedSettings<Settings>,
  field: Field<Settings[Key]>,
  key: Key,
): Settings[Key] {
  const placed = found[key];
  return placed === undefined ? defaultOf(field) : placed.value;
}
