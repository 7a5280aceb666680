import { readFileSync } from 'node:fs';

/**
 * How a line of somebody's history becomes events. Flat on purpose: every key can be given as `--map key=value` or in
 * a JSON file. Columns of NDJSON are paths, such as `job.id`.
 */
export interface Mapping {
  /** Column of the job id. */
  readonly id: string;
  readonly queue: string | null;
  readonly queueDefault: string | null;
  readonly kind: string | null;
  readonly kindDefault: string | null;
  readonly worker: string | null;
  readonly workerDefault: string;
  /** Column of the attempt; 1 where there is none. */
  readonly attempt: string | null;
  /** Times: a column, or several added up (`submit+wait`), as a history may give a start as submit and waiting time. */
  readonly queued: readonly string[];
  readonly started: readonly string[];
  readonly ended: readonly string[];
  readonly outcome: string | null;
  readonly outcomeDefault: OutcomeWord;
  readonly succeeded: readonly string[];
  readonly failed: readonly string[];
  /** Of failures; false = failed for good. */
  readonly retryable: boolean;
  readonly errorClass: string | null;
  readonly errorMessage: string | null;
  readonly unit: TimeUnit;
  /** What numeric times count from, ms since the epoch. */
  readonly originMs: number;
  readonly source: string;
  readonly namespace: string | null;
}

export const TIME_UNITS = ['iso', 's', 'ms', 'us'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];
export const OUTCOME_WORDS = ['succeeded', 'failed', 'none'] as const;
export type OutcomeWord = (typeof OUTCOME_WORDS)[number];

/** Key, and what it says: the table of docs/cli.md. */
export const MAPPING_KEYS = {
  id: 'Column of the job id. Required.',
  queue: 'Column of the queue.',
  queueDefault: 'Queue of lines that name none.',
  kind: 'Column of the job’s kind.',
  kindDefault: 'Kind of lines that name none.',
  worker: 'Column of the worker’s id.',
  workerDefault: 'Worker of lines that name none. Default `replay`.',
  attempt: 'Column of the attempt, from 1. Default: every line is attempt 1.',
  queued: 'Time at which the job was queued: a column, or several added up, as `submit+wait`. Empty: no such event.',
  started: 'Time of the start, likewise.',
  ended: 'Time of the end, likewise.',
  outcome: 'Column that says how it ended.',
  succeeded: 'Values of that column that mean succeeded, with commas between.',
  failed: 'Values of that column that mean failed. Any other value: it did not end, and no end is sent.',
  outcomeDefault: 'Outcome where no column says it: `succeeded`, `failed` or `none`. Default `none`.',
  retryable: '`false`: failures are for good. Default `true`.',
  errorClass: 'Column of the error’s class. Default: the outcome as it is written.',
  errorMessage: 'Column of the error’s message.',
  unit: 'Of the times: `iso`, `s`, `ms` or `us`. Default `iso`.',
  origin: 'Instant that numeric times count from. Default 1970-01-01T00:00:00Z.',
  source: '`source` of all events. Default `jobwarden-replay`.',
  namespace: 'Namespace of all jobs. Default: the service’s.',
} as const;
export type MappingKey = keyof typeof MAPPING_KEYS;

const KEYS = Object.keys(MAPPING_KEYS) as readonly MappingKey[];

export type Read<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly faults: readonly string[] };

/** `parts` in order, later ones winning: `key=value`, or the path of a JSON file. All faults are told together. */
export function readMapping(
  parts: readonly string[],
  readFile: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): Read<Mapping> {
  const faults: string[] = [];
  const given = new Map<MappingKey, string>();
  const take = (key: string, value: unknown, where: string): void => {
    const known = KEYS.find((k) => k === key);
    if (known === undefined) faults.push(`${where}: "${key}" is no key of a mapping; there are ${KEYS.join(', ')}`);
    else if (Array.isArray(value)) given.set(known, value.map(String).join(','));
    else if (['string', 'number', 'boolean'].includes(typeof value)) given.set(known, String(value));
    else faults.push(`${where}: ${key} must be a text`);
  };
  for (const part of parts) {
    const at = part.indexOf('=');
    if (at > 0) take(part.slice(0, at).trim(), part.slice(at + 1).trim(), `--map ${part}`);
    else for (const [key, value] of entriesOf(part, readFile, faults)) take(key, value, part);
  }
  const value = mappingOf(given, faults);
  return faults.length > 0 ? { ok: false, faults } : { ok: true, value };
}

function entriesOf(path: string, readFile: (path: string) => string, faults: string[]): [string, unknown][] {
  try {
    const parsed = JSON.parse(readFile(path)) as unknown;
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return Object.entries(parsed);
    faults.push(`${path}: a mapping is a JSON object`);
  } catch (error) {
    faults.push(`${path}: ${error instanceof Error ? error.message : String(error)}; give key=value, or a JSON file`);
  }
  return [];
}

function mappingOf(given: ReadonlyMap<MappingKey, string>, faults: string[]): Mapping {
  const text = (key: MappingKey): string | null => {
    const value = given.get(key);
    return value === undefined || value === '' ? null : value;
  };
  const list = (key: MappingKey): string[] =>
    (text(key)?.split(',') ?? []).map((v) => v.trim()).filter((v) => v !== '');
  const sum = (key: MappingKey): string[] => (text(key)?.split('+') ?? []).map((v) => v.trim()).filter((v) => v !== '');
  const word = <W extends string>(key: MappingKey, words: readonly W[], otherwise: W): W => {
    const value = text(key);
    const found = words.find((w) => w === value);
    if (value !== null && found === undefined) faults.push(`${key} must be one of ${words.join(', ')}, is "${value}"`);
    return found ?? otherwise;
  };
  const mapping: Mapping = {
    id: text('id') ?? '',
    queue: text('queue'),
    queueDefault: text('queueDefault'),
    kind: text('kind'),
    kindDefault: text('kindDefault'),
    worker: text('worker'),
    workerDefault: text('workerDefault') ?? 'replay',
    attempt: text('attempt'),
    queued: sum('queued'),
    started: sum('started'),
    ended: sum('ended'),
    outcome: text('outcome'),
    outcomeDefault: word('outcomeDefault', OUTCOME_WORDS, 'none'),
    succeeded: list('succeeded'),
    failed: list('failed'),
    retryable: word('retryable', ['true', 'false'], 'true') === 'true',
    errorClass: text('errorClass'),
    errorMessage: text('errorMessage'),
    unit: word('unit', TIME_UNITS, 'iso'),
    originMs: Date.parse(text('origin') ?? '1970-01-01T00:00:00Z'),
    source: text('source') ?? 'jobwarden-replay',
    namespace: text('namespace'),
  };
  faults.push(...faultsBetween(mapping));
  return mapping;
}

function faultsBetween(mapping: Mapping): string[] {
  const faults: string[] = [];
  if (mapping.id === '') faults.push('the mapping names no column for the job id: give id=<column>');
  if (mapping.queue === null && mapping.queueDefault === null)
    faults.push('the mapping names no queue: give queue=<column>, queueDefault=<name> or both');
  if (mapping.queued.length + mapping.started.length + mapping.ended.length === 0) {
    faults.push('the mapping names no time: give queued, started, ended or several of them');
  }
  if (Number.isNaN(mapping.originMs)) faults.push('origin must be an instant, such as 2023-01-01T00:00:00Z');
  if (
    mapping.unit === 'iso' &&
    [mapping.queued, mapping.started, mapping.ended].some((columns) => columns.length > 1)
  ) {
    faults.push('only numeric times can be added up: give unit=s, ms or us');
  }
  if (mapping.outcome !== null && mapping.succeeded.length + mapping.failed.length === 0) {
    faults.push('the mapping has an outcome column and no values: give succeeded=<values>, failed=<values> or both');
  }
  return faults;
}

/** Every column that the mapping reads. */
export function columnsOf(mapping: Mapping): readonly string[] {
  const { id, queue, kind, worker, attempt, queued, started, ended, outcome, errorClass, errorMessage } = mapping;
  const all = [id, queue, kind, worker, attempt, ...queued, ...started, ...ended, outcome, errorClass, errorMessage];
  return [...new Set(all.filter((column) => column !== null))];
}
