import { mostConnections } from '../../apps/server/src/wiring/databases.js';

/** What one job costs, measured in one run on one machine. */
export interface JobCost {
  /** On the disk after a vacuum, with indexes and oversize parts. */
  readonly logBytes: number;
  readonly bodyBytes: number;
  readonly rowBytes: number;
  readonly otherBytes: number;
  readonly walBytes: number;
  /** Processor time, µs. */
  readonly serviceMicros: number;
  readonly postgresMicros: number;
}

export interface Profile extends JobCost {
  readonly name: string;
  readonly payloadBytes: number;
  readonly retries: number;
  readonly eventsPerRequest: number;
}

export interface Measured {
  readonly machine: string;
  readonly profiles: readonly Profile[];
  /** What stays of a job for good, once its week of the log is dropped. */
  readonly summaryBytes: number;
  /** Of one process that has nothing to do, and of the database for it: shares of a core. */
  readonly idleServiceCores: number;
  readonly idlePostgresCores: number;
  /** Resident, of one process at the end of its load. */
  readonly serviceMiB: number;
}

export const VOLUMES = [10_000, 100_000, 1_000_000, 10_000_000, 100_000_000] as const;
/** Retention counts in whole weeks: of 30 days as many lie there at most. */
export const DAYS_KEPT = 37;
/** The busiest hours of a day, against its mean. */
export const PEAK = 5;
/** A process has one thread for nearly all it does; above this share of a core what comes in has to wait. */
const FULL = 0.7;
/** Two, so that one may be missing. */
const LEAST_PROCESSES = 2;
const DAY_SECONDS = 86_400;

export interface Size {
  readonly jobsPerDay: number;
  readonly diskBytes: number;
  readonly walBytesPerDay: number;
  /** In the busiest hours, of all processes together. */
  readonly serviceCores: number;
  readonly postgresCores: number;
  readonly processes: number;
  readonly memoryMiB: number;
  readonly connections: number;
}

/**
 * What hardly depends on the machine, and how far it may stray: checkpoints come when they like, and how much of a row's versions lie there
 * depends on how far its updates are apart.
 */
const BYTES = { logBytes: 0.2, bodyBytes: 0.2, walBytes: 0.4, rowBytes: 1 } as const satisfies Partial<Record<keyof JobCost, number>>;

/** Which bytes of a job are others by now than those that the page was made of, a line each. */
export function strayed(measured: Measured, kept: Measured): readonly string[] {
  return kept.profiles.flatMap((before) => {
    const now = measured.profiles.find(({ name }) => name === before.name);
    if (now === undefined) return [`${before.name}: not measured any more`];
    return Object.entries(BYTES).flatMap(([name, share]) => {
      const what = name as keyof typeof BYTES;
      if (Math.abs(now[what] - before[what]) <= share * Math.max(before[what], SMALL_BYTES)) return [];
      return [`${before.name}: ${what} ${now[what].toFixed(0)}, and the page is made of ${before[what].toFixed(0)}`];
    });
  });
}

/** Of what is nearly nothing a share says nothing. */
const SMALL_BYTES = 500;

/** What so many jobs a day need, by what one costs. */
export function sizeOf(jobsPerDay: number, cost: JobCost, measured: Measured): Size {
  const bytes = cost.logBytes + cost.bodyBytes + cost.rowBytes + cost.otherBytes;
  const perSecond = (jobsPerDay / DAY_SECONDS) * PEAK;
  const work = (perSecond * cost.serviceMicros) / 1e6;
  const processes = Math.max(LEAST_PROCESSES, Math.ceil(work / (FULL - measured.idleServiceCores)));
  return {
    jobsPerDay,
    diskBytes: jobsPerDay * DAYS_KEPT * bytes,
    walBytesPerDay: jobsPerDay * cost.walBytes,
    serviceCores: work + processes * measured.idleServiceCores,
    postgresCores: (perSecond * cost.postgresMicros) / 1e6 + processes * measured.idlePostgresCores,
    processes,
    memoryMiB: processes * measured.serviceMiB,
    connections: processes * mostConnections({ kafka: false }),
  };
}
