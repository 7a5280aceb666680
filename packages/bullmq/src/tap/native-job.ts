/** What the tap reads of a job's hash. `stacktrace` and `data` can be long: only where they are needed. */
export const JOB_FIELDS = [
  'name',
  'timestamp',
  'opts',
  'ats',
  'atm',
  'stc',
  'processedOn',
  'finishedOn',
  'failedReason',
  'pb',
  'delay',
] as const;

export interface NativeJob {
  /** The job's name within its queue. */
  readonly name: string;
  /** When it was created, by its producer's clock, ms. */
  readonly createdMs: number;
  /** `opts.delay`, as it was added, ms; a later change of it is not here. */
  readonly delayMs: number;
  /** `delay`: of its present wait, ms; 0 once that is over. */
  readonly waitMs: number;
  /** `ats`: how often a worker took it. */
  readonly starts: number;
  /** `atm`: how many of those ended, well or badly. */
  readonly ends: number;
  /** `stc`: how often it was put back because its lock was gone. */
  readonly stalls: number;
  readonly processedMs: number | null;
  readonly finishedMs: number | null;
  readonly failedReason: string | null;
  /** One stack for each failure, the newest last; BullMQ keeps `stackTraceLimit` of them. Empty where it was not read. */
  readonly stacks: readonly string[];
  /** The name of the worker that took it last, where workers have names. */
  readonly workerName: string | null;
  /** The payload's JSON; null where it was not read. */
  readonly data: string | null;
}

/** From an answer to HMGET of {@link JOB_FIELDS}, then `stacktrace` and `data` as far as asked for; null: there is none. */
export function nativeJob(values: readonly (string | null)[], extra: readonly ('stacktrace' | 'data')[] = []): NativeJob | null {
  const [name, timestamp, opts, ats, atm, stc, processedOn, finishedOn, failedReason, pb, delay, ...more] = values;
  if (name == null || timestamp == null) return null;
  const read = (field: 'stacktrace' | 'data') => (extra.includes(field) ? (more[extra.indexOf(field)] ?? null) : null);
  return {
    name,
    createdMs: instantMs(timestamp),
    delayMs: positive(record(opts)['delay']),
    waitMs: whole(delay) ?? 0,
    starts: whole(ats) ?? 0,
    ends: whole(atm) ?? 0,
    stalls: whole(stc) ?? 0,
    processedMs: whole(processedOn),
    finishedMs: whole(finishedOn),
    failedReason: failedReason ?? null,
    stacks: strings(read('stacktrace')),
    workerName: pb == null || pb === '' ? null : pb,
    data: read('data'),
  };
}

/** The latest instant that a date can hold, ms. */
const LAST_MS = 8.64e15;

/** `timestamp` is an option of `add`: anybody may have written anything there, and it has to be a date. */
function instantMs(text: string): number {
  const ms = whole(text) ?? 0;
  return ms >= 0 && ms <= LAST_MS ? ms : 0;
}

function whole(text: string | null | undefined): number | null {
  if (text == null || text === '') return null;
  const value = Math.trunc(Number(text));
  return Number.isSafeInteger(value) ? value : null;
}

function positive(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.round(value) : 0;
}

/** Anything that is no JSON object is taken for an empty one: what another program wrote there is not ours to judge. */
function record(text: string | null | undefined): Readonly<Record<string, unknown>> {
  const value = parsed(text);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function strings(text: string | null): readonly string[] {
  const value = parsed(text);
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

export function parsed(text: string | null | undefined): unknown {
  if (text == null) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
