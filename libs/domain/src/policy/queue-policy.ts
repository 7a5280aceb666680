import type { GatePolicy } from '../gate/gate-policy.js';
import type { SaturationPolicy } from '../signal/saturation.js';
import type { ReadmitPolicy } from './readmit-policy.js';

/** The policy of one queue (or kind), resolved: every value present, durations in ms. */
export const LEVELS = ['observe', 'approve', 'act'] as const;
export type Level = (typeof LEVELS)[number];

export const ACTIONS = ['retry', 'requeue', 'deadLetter', 'throttle', 'rollback'] as const;
export type Action = (typeof ACTIONS)[number];

export type StuckAfter =
  | { readonly mode: 'learned' }
  | { readonly mode: 'off' }
  | { readonly mode: 'fixed'; readonly ms: number };

export interface Backoff {
  readonly initialMs: number;
  readonly factor: number;
  readonly maxMs: number;
  /** Share of the wait that is spread over, 0 to 1. */
  readonly jitter: number;
}

/** A database that the workers write to, and what it is asked for the version of its schema. */
export interface SchemaSource {
  /** The variable that holds its address. */
  readonly databaseUrlEnv: string;
  /** Answers one row of one value. */
  readonly query: string;
}

export interface QueuePolicy {
  readonly levels: Readonly<Record<Action, Level>>;
  /** Who retries and recovers. */
  readonly owner: 'jobwarden' | 'queue';
  readonly ownerWaitMs: number;
  readonly claims: 'off' | 'required';
  readonly idempotent: boolean;
  /** The consumer of commands drops repeats by (job, attempt, token): republishing is harmless. */
  readonly dedupes: boolean;
  readonly heartbeatTransport: 'auto' | 'http' | 'kafka';
  readonly heartbeats: 'auto' | 'expected' | 'none';
  readonly leaseMs: number;
  readonly heartbeatEveryMs: number;
  readonly graceMs: number;
  readonly stuckAfter: StuckAfter;
  /** null = off. */
  readonly hardTimeoutMs: number | null;
  readonly startByMs: number;
  /** After the first attempt; counted from the last redrive. */
  readonly maxRetries: number;
  readonly backoff: Backoff;
  /** How often a requeued command may go out again. */
  readonly republish: number;
  readonly maxRedrives: number;
  readonly poisonAfter: number | null;
  readonly budget: { readonly perSecond: number; readonly burst: number };
  readonly blackout: { readonly minWorkers: number; readonly share: number; readonly holdMaxMs: number };
  readonly probing: { readonly share: number; readonly probes: number; readonly everyMs: number };
  /** When it counts as critically saturated. */
  readonly saturation: SaturationPolicy;
  readonly retentionMs: number;
  /** How long an approval holds before it was looked at, lane time ms. */
  readonly approvalForMs: number;
  /** An act that proves wrong takes its action back to observe. */
  readonly fallback: boolean;
  readonly fallbackQueue: string | null;
  readonly schema: string | null;
  readonly rollback: {
    readonly target: string | null;
    readonly scaleToZero: boolean;
    readonly coolDownMs: number;
    readonly approval: boolean;
    /** Calls that write to the cluster, per run and minute. */
    readonly writesPerMinute: number;
    /** After a rollback: for a return to the bad release to count as a revert of it, and for the run to wait whether one comes. */
    readonly watchMs: number;
    /** What becomes of the throttle when a person aborts a run. */
    readonly onAbort: 'lift' | 'keep';
    /** Where the version of the database's schema is asked; null or left out: only what is written on the target tells. */
    readonly schema?: SchemaSource | null;
  };
  /** How intake comes back after it was throttled. */
  readonly readmit: ReadmitPolicy;
  /** How sure the canary gate must be. */
  readonly gate: GatePolicy;
}

/** `stuckAfter: learned` until there are samples, ms. */
export const STUCK_AFTER_DEFAULT_MS = 3_600_000;

/** Where a threshold came from, most specific first. */
export type ThresholdSource = 'job' | 'kind' | 'queue' | 'learned' | 'default';

export interface Threshold {
  readonly source: ThresholdSource;
  readonly ms: number;
}
