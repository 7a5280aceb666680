import { GATE_DEFAULTS, type QueuePolicy } from '#libs/domain';

/** How often the rarer things may happen in one history; what is not limited here may happen as often as it can. */
export interface Budget {
  /** A fact or a command arrives again. */
  readonly copies: number;
  /** The publisher dies and begins again at its checkpoint. */
  readonly crashes: number;
  readonly beats: number;
  /** A worker lets go by itself. */
  readonly releases: number;
  /** The answer to a claim is lost, and the worker asks again. */
  readonly lostAnswers: number;
  readonly cancels: number;
  readonly redrives: number;
  /** An operator restarts the job by hand. */
  readonly restarts: number;
  /** A restore raises the epoch. */
  readonly epochs: number;
}
export const BUDGET_KEYS = [
  ...(['copies', 'crashes', 'beats', 'releases', 'lostAnswers'] as const),
  ...(['cancels', 'redrives', 'restarts', 'epochs'] as const),
] satisfies readonly (keyof Budget)[];

export interface Scenario {
  readonly name: string;
  /** `owner`: the queue retries by itself. */
  readonly mode: 'observed' | 'claims' | 'owner';
  readonly retries: number;
  /** How often a command goes out again by itself. */
  readonly republish: number;
  /** Deciders that have read and not yet appended, at once. */
  readonly replicas: number;
  /** Facts that are on their way at once, beside `queued`; commands likewise. */
  readonly facts: number;
  readonly commands: number;
  readonly budget: Budget;
}

const NONE: Budget = { ...{ copies: 0, crashes: 0, beats: 0, releases: 0, lostAnswers: 0 }, ...{ cancels: 0, redrives: 0, restarts: 0, epochs: 0 } };

function scenario(name: string, mode: Scenario['mode'], size: Partial<Omit<Scenario, 'budget'>>, budget: Partial<Budget>): Scenario {
  return { ...{ name, mode, retries: 1, republish: 0, replicas: 1, facts: 1, commands: 2 }, ...size, budget: { ...NONE, ...budget } };
}

/** By bound. 1 is for the test, 2 for CI, from 3 on for a long run. Each says something that the others leave out. */
export function scenariosOf(bound: number): readonly Scenario[] {
  const small: readonly Scenario[] = [
    scenario('observed', 'observed', {}, {}),
    scenario('claims', 'claims', {}, {}),
    scenario('repeats', 'observed', { retries: 0 }, { copies: 1 }),
    scenario('repeated claims', 'claims', { retries: 0 }, { copies: 1, lostAnswers: 1 }),
    scenario('redrives', 'observed', { retries: 0 }, { redrives: 1 }),
    scenario('a publisher that dies', 'observed', { retries: 0 }, { crashes: 1 }),
  ];
  if (bound <= 1) return small;
  const more = bound - 2;
  return [
    ...small,
    scenario('a publisher that sends twice', 'observed', { retries: 1 + more }, { crashes: 1 }),
    scenario('heartbeats', 'observed', { retries: 1 + more }, { beats: 1 }),
    scenario('heartbeats under claims', 'claims', { retries: 1 + more }, { beats: 1 }),
    scenario('two replicas', 'observed', { replicas: 2, retries: 1 + more }, { releases: 1 }),
    scenario('facts that overtake each other', 'observed', { facts: 2 + more }, {}),
    scenario('more retries', 'observed', { retries: 2 + more }, {}),
    scenario('claims and a republished command', 'claims', { republish: 1, retries: 1 + more }, {}),
    scenario('people', 'observed', { retries: more }, { cancels: 1, restarts: 1, redrives: more }),
    scenario('people, claims and a restore', 'claims', { retries: more, commands: 1 }, { redrives: 1, epochs: 1 }),
    scenario('the queue retries', 'owner', { retries: more }, { beats: more }),
  ];
}

/**
 * Everything that is waited for takes one tick: the lease, the grace, the backoff, the start. So one step of the clock
 * passes every deadline that counts from now, and ages of none, one and more ticks are all that can be told apart.
 */
export const TICK_MS = 1;

export function policyOf({ mode, retries, republish }: Scenario): QueuePolicy {
  return {
    levels: { retry: 'act', requeue: 'act', deadLetter: 'act', throttle: 'act', rollback: 'act' },
    owner: mode === 'owner' ? 'queue' : 'jobwarden',
    ownerWaitMs: TICK_MS,
    claims: mode === 'claims' ? 'required' : 'off',
    idempotent: true,
    dedupes: false,
    heartbeatTransport: 'auto',
    heartbeats: 'auto',
    leaseMs: TICK_MS,
    heartbeatEveryMs: TICK_MS,
    graceMs: TICK_MS,
    stuckAfter: { mode: 'fixed', ms: TICK_MS },
    hardTimeoutMs: null,
    startByMs: TICK_MS,
    maxRetries: retries,
    backoff: { initialMs: TICK_MS, factor: 1, maxMs: TICK_MS, jitter: 0 },
    republish,
    maxRedrives: 3,
    poisonAfter: null,
    budget: { perSecond: 50, burst: 100 },
    blackout: { minWorkers: 5, share: 0.3, holdMaxMs: 600_000 },
    saturation: { ratio: 0.25, unprocessed: 5_000, forMs: 60_000, windowMs: 120_000, minProcessed: 20, recoverBelow: 0.1 },
    retentionMs: 86_400_000,
    ...{ probing: { share: 0.8, probes: 3, everyMs: 30_000 }, approvalForMs: 900_000, fallback: true },
    fallbackQueue: null,
    schema: null,
    rollback: { target: null, scaleToZero: false, coolDownMs: 0, approval: true, writesPerMinute: 6, watchMs: 60_000, onAbort: 'lift' },
    readmit: { steps: [1, 10, 25, 50, 100], holdMs: 30_000, falls: 3, maxRatio: 0.1, minSample: 20 },
    gate: GATE_DEFAULTS,
  };
}
