import { hostname } from 'node:os';
import { createClient, createEmitter, stderrLogger, type Client, type Emitter, type Logger } from '@jobwarden/client';
import type { EvidenceOptions } from './evidence.js';
import type { Classify } from './failure.js';
import type { Metrics, Tracing } from './hooks.js';
import { redactSecrets } from './redact.js';

export interface WorkerOptions {
  /** Default: `createClient()`, by the environment. */
  readonly client?: Client;
  /** Carries the facts. Default: one over HTTP by `client`, which the worker closes. */
  readonly emitter?: Emitter;
  /** Name of this process, unique among those that run. At most 255 bytes. Default: `<host name>-<pid>`. */
  readonly id?: string;
  /** The release that it runs. Default: `JOBWARDEN_REVISION`, else none. */
  readonly revision?: string;
  /** `canary` or `stable`. Default: `JOBWARDEN_TRACK`, else none. */
  readonly track?: string;
  /** How long the process may stay silent before its attempts count as lost, ms. Beats are sent every third of it. Default 30,000. */
  readonly leaseMs?: number;
  /**
   * Ask for each attempt before it is begun, and get a fencing token. Default false; a queue whose policy says
   * `claims: required` is claimed from in any case.
   */
  readonly claims?: boolean;
  /** When Jobwarden does not answer: `run` goes on and tells it later, `wait` begins nothing. Default `run`. */
  readonly onUnavailable?: 'run' | 'wait';
  /** When nobody could be told for a whole lease that the process lives. Default: `run` with `onUnavailable: 'run'`, else `stop`. */
  readonly onLeaseLost?: 'run' | 'stop';
  /** Beat from a thread, so that a blocked event loop loses no lease. Default true; false beats from the event loop. */
  readonly thread?: boolean;
  /** The thread beats for a blocked event loop no longer than so, ms: a loop that never ends must be found. Default 20 leases. */
  readonly maxBlockedMs?: number;
  /** Of each attempt that names none of its own, ms; decoding and validating included. Default: none. */
  readonly hardTimeoutMs?: number;
  /** How long a handler may take to end after its signal was aborted, ms; then it is left behind. Default 15,000, as the policy's `grace`. */
  readonly stopGraceMs?: number;
  /** How long `drain` lets running attempts go on before it aborts them, ms. Default 10,000: with `stopGraceMs` it ends within the 30 s that Kubernetes gives. */
  readonly drainGraceMs?: number;
  /** Drain on these signals, and then let the signal do what it does: `['SIGTERM']`. Default: none; the program calls `drain`. */
  readonly drainOn?: readonly NodeJS.Signals[];
  /** Listen to the command stream for stops while something runs. Default true; false leaves it to the answers of beats. */
  readonly commands?: boolean;
  /** Ask, at most once a second and queue, whether the queue is paused or throttled, or this release refused. Default true. With claims the claim says so. */
  readonly gates?: boolean;
  /**
   * What becomes of running attempts once this release is out of service in their queue: `finish` lets them end, `stop` aborts
   * them (`revision-quarantined`), and they are let go for others: one attempt each. Default `finish`.
   */
  readonly whenRefused?: 'finish' | 'stop';
  /** Told when this release is refused in a queue, and when it is let in again: to leave a consumer group, to alert. Default: the log. */
  readonly onRevision?: (queue: string, state: 'refused' | 'admitted') => void;
  /**
   * What this process sends of itself when an incident asks for it, which is before a bad release is isolated. Default: its
   * diagnostic report, and no heap; false sends nothing. See {@link EvidenceOptions} for what is in them.
   */
  readonly evidence?: EvidenceOptions | false;
  /** Says of an error whether a retry may help, and when. Default: see {@link Classify}. */
  readonly classify?: Classify;
  /** The payload as it is reported with a failure. Default: {@link redactSecrets}; false reports none. */
  readonly snapshot?: false | ((payload: unknown) => unknown);
  /**
   * `@jobwarden/worker/outbox`: looked into before an attempt is begun. What has succeeded in there is `finished`, also where
   * Jobwarden has not heard of it yet. Default: none.
   */
  readonly outbox?: { hasSucceeded(job: { readonly queue: string; readonly id: string }): Promise<boolean> };
  /** `@jobwarden/worker/metrics`. */
  readonly metrics?: Metrics;
  /** `openTelemetry()` of `@jobwarden/worker/opentelemetry`: a span per attempt. Default: none. */
  readonly tracing?: Tracing;
  /** Default: warnings to standard error. */
  readonly logger?: Logger;
}

export interface Settings extends Required<Omit<WorkerOptions, 'revision' | 'track' | 'hardTimeoutMs' | 'metrics' | 'tracing' | 'classify' | 'outbox' | 'onRevision'>> {
  readonly revision: string | undefined;
  readonly track: string | undefined;
  readonly hardTimeoutMs: number | undefined;
  readonly outbox: WorkerOptions['outbox'];
  readonly onRevision: WorkerOptions['onRevision'];
  readonly metrics: Metrics | undefined;
  readonly tracing: Tracing | undefined;
  readonly classify: Classify | undefined;
  /** The worker made it, so it closes it. */
  readonly ownEmitter: boolean;
}

/** @throws RangeError that names every option that is wrong. */
export function settingsOf(options: WorkerOptions): Settings {
  const faults = faultsOf(options);
  if (faults.length > 0) throw new RangeError(`createWorker: ${faults.join('; ')}`);
  const id = options.id ?? `${hostname()}-${String(process.pid)}`;
  const logger = options.logger ?? stderrLogger;
  const client = options.client ?? createClient();
  const leaseMs = options.leaseMs ?? 30_000;
  const onUnavailable = options.onUnavailable ?? 'run';
  return {
    client,
    emitter: options.emitter ?? createEmitter({ client, source: id, logger }),
    ownEmitter: options.emitter === undefined,
    id,
    revision: options.revision ?? named('JOBWARDEN_REVISION'),
    track: options.track ?? named('JOBWARDEN_TRACK'),
    leaseMs,
    claims: options.claims ?? false,
    onUnavailable,
    onLeaseLost: options.onLeaseLost ?? (onUnavailable === 'run' ? 'run' : 'stop'),
    thread: options.thread ?? true,
    maxBlockedMs: options.maxBlockedMs ?? 20 * leaseMs,
    hardTimeoutMs: options.hardTimeoutMs,
    stopGraceMs: options.stopGraceMs ?? 15_000,
    drainGraceMs: options.drainGraceMs ?? 10_000,
    drainOn: options.drainOn ?? [],
    commands: options.commands ?? true,
    gates: options.gates ?? true,
    evidence: options.evidence ?? {},
    whenRefused: options.whenRefused ?? 'finish',
    onRevision: options.onRevision,
    classify: options.classify,
    snapshot: options.snapshot ?? redactSecrets,
    outbox: options.outbox,
    metrics: options.metrics,
    tracing: options.tracing,
    logger,
  };
}

const DURATIONS = ['leaseMs', 'maxBlockedMs', 'hardTimeoutMs', 'stopGraceMs', 'drainGraceMs'] as const;
/** What a timer of Node can wait. */
const LONGEST_MS = 2 ** 31 - 1;

function faultsOf(options: WorkerOptions): readonly string[] {
  const faults: string[] = [];
  for (const name of DURATIONS) {
    const ms = options[name];
    const least = name === 'leaseMs' ? 100 : name.endsWith('GraceMs') ? 0 : 1;
    if (ms !== undefined && !(ms >= least && ms <= LONGEST_MS)) faults.push(`${name} is ${String(ms)}: give milliseconds, from ${String(least)} to ${String(LONGEST_MS)}`);
  }
  const { leaseMs = 30_000, maxBlockedMs } = options;
  if (maxBlockedMs !== undefined && maxBlockedMs < leaseMs) faults.push(`maxBlockedMs (${String(maxBlockedMs)}) is shorter than leaseMs (${String(leaseMs)})`);
  if (options.id !== undefined && (options.id === '' || Buffer.byteLength(options.id) > 255)) faults.push('id has to have 1 to 255 bytes');
  return faults;
}

function named(variable: string): string | undefined {
  const value = process.env[variable];
  return value === '' ? undefined : value;
}
