/**
 * Limits of what comes in. Byte limits are measured in UTF-8, since that is what is stored and indexed; a limit in
 * characters would let four times as much pass.
 */
export interface Limits {
  /** `subject` of a job's events. Default 2,048. */
  readonly jobIdBytes: number;
  /** Default 255. */
  readonly queueBytes: number;
  /** Default 255. */
  readonly namespaceBytes: number;
  /** CloudEvents `source`. Default 1,024. */
  readonly sourceBytes: number;
  /** CloudEvents `id`. Default 1,024. */
  readonly eventIdBytes: number;
  /** Short names: worker id, incarnation, revision, track, kind, error class and code. Default 255. */
  readonly fieldBytes: number;
  /**
   * Prose and references: `reason`, `payloadRef`, cache keys. A longer `error.message` is cut in the log and kept whole
   * as a body. Default 8,192.
   */
  readonly textBytes: number;
  /** One HTTP request's body. Default 1 MiB. */
  readonly bodyBytes: number;
  /** Events in one batch. Default 1,000. */
  readonly batchEvents: number;
  /** Objects and arrays inside each other, the event itself being the first. Default 32. */
  readonly nesting: number;
  /** Any duration in an event, ms. Default 400 days. */
  readonly durationMs: number;
}

export const DEFAULT_LIMITS: Limits = {
  jobIdBytes: 2_048,
  queueBytes: 255,
  namespaceBytes: 255,
  sourceBytes: 1_024,
  eventIdBytes: 1_024,
  fieldBytes: 255,
  textBytes: 8_192,
  bodyBytes: 1_048_576,
  batchEvents: 1_000,
  nesting: 32,
  durationMs: 400 * 86_400_000,
};

/** What a limit is called in the policy file: whoever is told of one can raise it there. */
export const LIMIT_SETTINGS: Readonly<Record<keyof Limits, string>> = {
  jobIdBytes: 'limits.jobId',
  queueBytes: 'limits.queue',
  namespaceBytes: 'limits.namespace',
  sourceBytes: 'limits.source',
  eventIdBytes: 'limits.eventId',
  fieldBytes: 'limits.field',
  textBytes: 'limits.text',
  bodyBytes: 'limits.body',
  batchEvents: 'limits.batch',
  nesting: 'limits.nesting',
  durationMs: 'limits.duration',
};

/** Length in UTF-8 bytes above `limit`, or undefined while within it. Cheap for what is clearly short enough. */
export function bytesOver(text: string, limit: number): number | undefined {
  // A UTF-16 unit is at most three bytes of UTF-8.
  if (text.length * 3 <= limit) return undefined;
  const bytes = Buffer.byteLength(text, 'utf8');
  return bytes > limit ? bytes : undefined;
}
