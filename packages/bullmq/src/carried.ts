import type { TraceContext } from '@jobwarden/client';

/**
 * What we write into a job's options as it is added, under `jobwarden`. BullMQ keeps options it does not know, and
 * `job.data` stays as the producer gave it.
 */
export interface Carried {
  /** `queued` was told by who added it. Without, the worker tells it at the first start. */
  readonly told: true;
  /** Of one call of `add`, where BullMQ may have kept another job instead: tells the two apart, also within a millisecond. */
  readonly added?: string;
  /** BullMQ's `attempts` as the producer said it, where Jobwarden retries instead. */
  readonly attempts?: number;
  /** Jobwarden's name of the queue, where it is another: the job was handed to a fallback queue. */
  readonly queue?: string;
  /** Of a job that a command added: who did, see MARK. */
  readonly mark?: string;
  /** Of the producer's span, where BullMQ's own telemetry carries none. */
  readonly trace?: TraceContext;
  /** What came with that command. */
  readonly command?: Readonly<Record<string, unknown>>;
}

export function carriedOf(opts: object | undefined): Carried | null {
  const value = (opts as { readonly jobwarden?: unknown } | undefined)?.jobwarden;
  return typeof value === 'object' && value !== null ? (value as Carried) : null;
}
