/**
 * The part of Jobwarden's contract that the packages speak, written by hand so that they bring no schema library along.
 * A test compares every type here with the schemas of the service.
 */

/** Who runs something. */
export interface Worker {
  /** Name of the worker process, the same over restarts. */
  readonly id: string;
  /** Changes with each start of the process. */
  readonly incarnation?: string;
  /** The release that the worker runs. */
  readonly revision?: string;
  /** `canary` or `stable`, or any name of a roll-out group. */
  readonly track?: string;
}

/** One run of one thing: `(namespace, queue, id)`. The namespace is the client's. */
export interface JobRef {
  readonly queue: string;
  readonly id: string;
}

/** What caches must no longer serve once something has happened. */
export interface Invalidates {
  readonly keys?: string[];
  readonly tags?: string[];
}

/** Place in the log. Positions of two shards are never compared. */
export interface Position {
  readonly shard: number;
  readonly number: number;
}

/** Words that say what a worker should do with an attempt that it reported on. */
export type AttemptState = 'go-on' | 'restart-requested' | 'superseded' | 'finished';

export interface QueuedData {
  /** What sort of job it is: has its own limits and latency history. */
  readonly kind?: string;
  /** What to run with, any JSON. Not with `payloadRef`. */
  readonly payload?: unknown;
  readonly payloadRef?: string;
  /** Retries after the first attempt, 0 to 100; beats the policy. */
  readonly maxRetries?: number;
  /** RFC 3339: must not start before. */
  readonly notBefore?: string;
  /** The job's own hard timeout, ms; beats the policy's. */
  readonly timeoutMs?: number;
  readonly invalidates?: Invalidates;
}

/** `attempt` counts from 1, and is 1 where it is left out. */
export interface AttemptData {
  readonly attempt?: number;
  /** The fencing token of a claim, or of the command that asked for the attempt. */
  readonly token?: number;
}

export interface StartedData extends AttemptData {
  readonly worker: Worker;
  /** How long the worker may stay silent, ms; the policy's lease where it is left out. */
  readonly leaseMs?: number;
}

export interface HeartbeatData extends AttemptData {
  readonly worker?: Worker;
  readonly leaseMs?: number;
  /** How far it got, any JSON; handed to the next attempt. */
  readonly progress?: unknown;
}

export interface ReleasedData extends AttemptData {
  readonly worker?: Worker;
  readonly reason?: string;
}

export interface LeaseRenewalFailedData extends AttemptData {
  readonly worker?: Worker;
  readonly reason: string;
}

export interface SucceededData extends AttemptData {
  readonly worker?: Worker;
  readonly durationMs?: number;
  readonly invalidates?: Invalidates;
}

export interface JobError {
  /** For grouping, such as `TypeError`. */
  readonly class: string;
  readonly message: string;
  readonly stack?: string;
  /** Such as `ECONNRESET`. */
  readonly code?: string;
  /** The HTTP status that caused it. */
  readonly responseStatus?: number;
}

export interface FailedData extends AttemptData {
  readonly worker?: Worker;
  readonly durationMs?: number;
  readonly error: JobError;
  /** false = failed for good. Default true. */
  readonly retryable?: boolean;
  /** Not to be tried again sooner, ms. */
  readonly retryAfterMs?: number;
  /** The payload as the handler saw it, any JSON. */
  readonly payloadSnapshot?: unknown;
}

export interface CancelledData {
  readonly reason?: string;
  readonly by?: string;
  readonly attempt?: number;
}

/** What can be said about a job. */
export interface FactData {
  readonly queued: QueuedData;
  readonly claimed: StartedData;
  readonly started: StartedData;
  readonly heartbeat: HeartbeatData;
  readonly released: ReleasedData;
  readonly 'lease-renewal-failed': LeaseRenewalFailedData;
  readonly succeeded: SucceededData;
  readonly failed: FailedData;
  readonly cancelled: CancelledData;
}
export type FactType = keyof FactData;

/** An attempt that a worker holds, as its heartbeat names it. */
export interface HeldJob extends JobRef, AttemptData {
  readonly leaseMs?: number;
  readonly progress?: unknown;
}

export interface LockWait {
  /** What is waited for. */
  readonly resource: string;
  readonly holder?: string;
  readonly waitedMs: number;
}

/** State of the worker process. */
export interface Runtime {
  /** Bytes. */
  readonly heapUsed?: number;
  /** Bytes. */
  readonly heapLimit?: number;
  /** Bytes. */
  readonly rss?: number;
  readonly loopLagMs?: number;
  readonly poolInUse?: number;
  readonly poolWaiting?: number;
  readonly lockWaits?: LockWait[];
}

export interface WorkerHeartbeatData {
  readonly worker: Worker;
  /** Everything that the worker runs; may be empty. */
  readonly jobs: HeldJob[];
  readonly runtime?: Runtime;
}

export interface QueueStateData {
  readonly waiting?: number;
  readonly oldestAgeMs?: number;
  readonly paused?: boolean;
}

/** CloudEvents 1.0, structured. */
export interface CloudEvent<D = Readonly<Record<string, unknown>>> {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly subject: string;
  readonly type: string;
  readonly time?: string;
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly namespace?: string;
  readonly data: D;
}

/** Where what a worker knows of itself goes: `POST /v1/evidence/{id}/{kind}`, then `…/done`. */
export interface EvidenceCall {
  readonly id: string;
  /** Sent as `jobwarden-evidence-key`. */
  readonly key: string;
  readonly kinds: readonly ('report' | 'heap-snapshot')[];
  readonly withinMs: number;
  /** A larger body is not taken. */
  readonly maxBytes: number;
}

/** What became of one event at intake. */
export interface EventResult {
  /** Place in the batch, from 0. */
  readonly index: number;
  readonly id: string | null;
  readonly outcome: 'appended' | 'duplicate' | 'recorded' | 'refused' | 'quarantined';
  /** Why it was refused or quarantined; stable. */
  readonly code?: string;
  readonly detail?: string;
  readonly position?: Position;
  readonly state?: AttemptState;
  /** Of a worker's heartbeat: each attempt that it named and that is known. */
  readonly jobs?: readonly { readonly queue: string; readonly id: string; readonly attempt: number; readonly state: AttemptState; readonly code?: string }[];
  /** Of a worker's heartbeat: an incident asks this process for what it knows of itself. */
  readonly evidence?: EvidenceCall;
  /** Of a worker's heartbeat: queues of these attempts in which its revision is out of service. Begin nothing more of them. */
  readonly refusedQueues?: readonly string[];
}

export interface ClaimCall {
  /** Chosen by the worker, new for each claim; the same again gets the same answer. At most 255 bytes. */
  readonly claimId: string;
  readonly worker: Worker;
  /** The policy's lease where it is left out. */
  readonly leaseMs?: number;
  /** Of the command that the worker took: this grant or none. */
  readonly token?: number;
  /** W3C trace context of the span that the attempt is to be. */
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** W3C trace contexts that an attempt belongs to. */
export interface CommandTrace {
  /** Of whoever queued the job. */
  readonly traceparent?: string;
  readonly tracestate?: string;
  /** `traceparent` of the attempt before, as far as it told its own. */
  readonly previous?: string;
}

interface CommandData {
  readonly queue: string;
  /** The queue whose workers are meant, where it is not the job's own (`fallbackQueue`). */
  readonly deliverTo?: string;
  /** The decision behind it; (job, n) is its id. */
  readonly n: number;
  readonly attempt: number;
  readonly token: number;
  /** A stable word: why. */
  readonly reason: string;
  readonly previousWorker?: Worker;
  readonly deadline?: string;
}

export interface EnqueueCommandData extends CommandData {
  readonly kind?: string;
  /** The last that the previous attempt reported. */
  readonly progress?: unknown;
  readonly payload?: unknown;
  readonly payloadRef?: string;
  /** Where the log says which cached values are no longer true. */
  readonly invalidation?: Position;
  readonly trace?: CommandTrace;
}

export interface StopCommandData extends CommandData {
  readonly worker?: Worker;
}

/** `subject` is the job id. Copies are told by (subject, attempt, token), or by `id`. */
export type EnqueueCommand = CloudEvent<EnqueueCommandData>;
export type StopCommand = CloudEvent<StopCommandData>;

export interface InvalidationData {
  readonly keys: readonly string[];
  readonly tags: readonly string[];
  readonly cause: 'completed' | 'requeue' | 'requested';
  readonly queue: string;
  readonly jobId: string;
  readonly attempt: number;
  readonly position: Position;
}
export type Invalidation = CloudEvent<InvalidationData>;

/** What is let through of a queue. */
export interface Gate {
  readonly gate: 'open' | 'paused' | 'throttled';
  /** Claims a second, while throttled. */
  readonly perSecond?: number;
  readonly reason: string;
  readonly by: string;
  readonly at: string;
}

/** The part of `GET /v1/queues/{queue}` that the packages use. */
export interface QueueView {
  readonly queue: string;
  readonly depth: number;
  readonly running: number;
  readonly stuck: number;
  readonly paused: boolean;
  /** Left out: nobody has ever changed it. */
  readonly gate?: Gate;
  /** Releases of workers that are out of service here. Left out: none. */
  readonly refusedRevisions?: readonly string[];
  readonly levels: Readonly<Record<string, string>>;
}

/** The part of a job in a list that the packages use. */
export interface JobSummary {
  readonly queue: string;
  readonly id: string;
  readonly kind: string | null;
  readonly status: string;
  readonly attempt: number;
  readonly n: number;
  readonly token: number;
  readonly waitsFor: string | null;
  readonly since: string;
  readonly heldBy?: string;
}

export interface AttemptView {
  readonly attempt: number;
  readonly token?: number;
  readonly outcome: 'succeeded' | 'failed-for-good' | 'failed' | null;
  readonly claimId?: string;
  readonly leaseEndsAt?: string;
  readonly workers: readonly Worker[];
  readonly progress?: unknown;
}

export interface JobView extends JobSummary {
  readonly attempts: readonly AttemptView[];
  readonly decisions: readonly { readonly n: number; readonly kind: string; readonly attempt: number; readonly reason: string; readonly by: string; readonly at: string }[];
  readonly anomalies: readonly { readonly code: string; readonly attempt: number }[];
}
