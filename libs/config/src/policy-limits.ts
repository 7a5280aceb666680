import type { FaultLog } from './fault-log.js';
import { defaultOf, readFields, type Field, type FieldTable, type PlacedSettings } from './fields.js';
import { BUDGET_BURST, BUDGET_RATE } from './policy-settings.js';
import type { IntakeLimits, PolicyFile } from './policy-types.js';
import { MAX_DURATION_MS } from './quantities.js';
import { duration, integer, size, type Reader } from './readers.js';
import { burstOf } from './to-queue-policy.js';
import type { Tree } from './yaml-tree.js';

/** The sections that hold for the whole installation: `limits` and `budget`. */
interface LimitSettings {
  readonly jobId: number;
  readonly queue: number;
  readonly namespace: number;
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
  jobId: { reader: bytes(8_192), written: 2_048, unit: 'B', meaning: 'Longest job id, in bytes of UTF-8.' },
  queue: {
    reader: bytes(1_024),
    written: 255,
    unit: 'B',
    meaning: 'Longest queue name; of kinds and namespaces in this file too.',
  },
  namespace: { reader: bytes(1_024), written: 255, unit: 'B', meaning: 'Longest namespace.' },
  body: {
    reader: size({ min: 1_024, max: 67_108_864 }),
    written: '1MiB',
    meaning: 'Largest body of a request, and of an event.',
  },
  batch: { reader: integer({ min: 1, max: 10_000 }), written: 1_000, meaning: 'Most events in one request.' },
  nesting: {
    reader: integer({ min: 4, max: 128 }),
    written: 32,
    meaning: 'How deep objects and arrays may lie inside each other.',
  },
  duration: {
    reader: duration({ min: 1_000 }),
    written: '400d',
    meaning: 'Longest duration in an event, and farthest `notBefore`.',
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

function bytes(max: number): Reader<number> {
  return size({ min: 16, max });
}

export function readLimits(tree: Tree | undefined, log: FaultLog): IntakeLimits {
  const found = tree === undefined ? {} : readFields({ tree, path: 'limits', log }, LIMIT_FIELDS);
  const of = (key: keyof LimitSettings): number => valueOf(found, LIMIT_FIELDS[key], key);
  return Object.freeze({
    jobIdBytes: of('jobId'),
    queueBytes: of('queue'),
    namespaceBytes: of('namespace'),
    bodyBytes: of('body'),
    batchEvents: of('batch'),
    nesting: of('nesting'),
    durationMs: Math.min(of('duration'), MAX_DURATION_MS),
    queueLabels: of('queueLabels'),
  });
}

export function readBudget(tree: Tree | undefined, log: FaultLog): PolicyFile['budget'] {
  const found = tree === undefined ? {} : readFields({ tree, path: 'budget', log }, BUDGET_FIELDS);
  const perSecond = valueOf(found, BUDGET_FIELDS.perSecond, 'perSecond');
  const burst = valueOf(found, BUDGET_FIELDS.burst, 'burst');
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
