import type { OrchestratorFailure } from '#libs/application';
import type { Writer } from '#libs/domain';

/** The whole of a simulated pool: a plain value, so that it can be stored and outlive the process. Times in ms of the clock that it is stepped by. */
export interface SimulatedPool {
  readonly generation: number;
  readonly release: string;
  readonly replicas: number;
  readonly paused: boolean;
  /** When the wish changed last. */
  readonly wishedMs: number;
  /** The wish that has been read, and is being carried out. */
  readonly observed: { readonly generation: number; readonly release: string; readonly replicas: number };
  /** The one that was wished for last comes first. */
  readonly releases: readonly { readonly id: string; readonly revision: string; readonly schema?: string; readonly createdMs: number }[];
  readonly pods: readonly SimulatedPod[];
  readonly podsMade: number;
  readonly writers: { readonly release: Writer | null; readonly replicas: Writer | null };
  readonly scaler: SimulatedScaler | null;
  readonly schemaVersion: string | null;
  /** Revisions whose pods never get ready. */
  readonly broken: readonly string[];
  readonly timing: SimulatedTiming;
  /** A field manager that puts a release back whenever another one stands for so long. */
  readonly reverts: { readonly manager: string; readonly release: string; readonly afterMs: number; readonly times: number } | null;
  /** What the next calls fail with, or wait for, in order. */
  readonly faults: readonly SimulatedFault[];
  readonly steppedMs: number;
}

export interface SimulatedPod {
  readonly name: string;
  readonly release: string;
  readonly startedMs: number;
  readonly stoppingMs: number | null;
}

export interface SimulatedScaler {
  readonly kind: 'hpa' | 'keda';
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly paused: boolean;
}

export interface SimulatedTiming {
  /** From the wish to the one who carries it out. */
  readonly readMs: number;
  /** From a pod's start to ready. */
  readonly startMs: number;
  /** From a pod's stop to gone. */
  readonly stopMs: number;
  /** Without an end by then it is given up. */
  readonly deadlineMs: number;
}

export interface SimulatedFault {
  /** Default: the next call of either kind. */
  readonly verb?: 'observe' | 'apply';
  /** Absent: the call only waits. */
  readonly code?: OrchestratorFailure;
  /** The call first waits so long; longer than its own time limit: it hangs. */
  readonly delayMs?: number;
  /** The write is done, and its answer is lost. */
  readonly afterwards?: boolean;
  readonly retryAfterMs?: number;
}

export interface SimulatedPoolOptions {
  /** Default 3. */
  readonly replicas?: number;
  /** Revisions, the oldest first; the last one runs. Default `v1`, `v2`. */
  readonly revisions?: readonly string[];
  readonly broken?: readonly string[];
  readonly schemas?: Readonly<Record<string, string>>;
  readonly schemaVersion?: string;
  readonly timing?: Partial<SimulatedTiming>;
  readonly scaler?: SimulatedScaler;
  readonly reverts?: SimulatedPool['reverts'];
  readonly nowMs?: number;
}

/** A pool at rest: as many pods as wished for, all of the last revision, ready unless that is broken. */
export function simulatedPool(options: SimulatedPoolOptions = {}): SimulatedPool {
  const { replicas = 3, revisions = ['v1', 'v2'], broken = [], schemas = {}, timing, scaler = null, reverts = null, schemaVersion = null, nowMs = 0 } = options;
  const times: SimulatedTiming = { readMs: 100, startMs: 300, stopMs: 200, deadlineMs: 600_000, ...timing };
  const releases = revisions
    .map((revision, i) => ({ id: releaseIdOf(revision), revision, createdMs: nowMs - (revisions.length - i) * 3_600_000, ...schemaOf(schemas[revision]) }))
    .reverse();
  const release = releases[0]?.id ?? '';
  const pods = Array.from({ length: replicas }, (_, i) => ({ name: podName(i), release, startedMs: nowMs - times.startMs, stoppingMs: null }));
  const writer: Writer = { manager: 'kubectl', atMs: nowMs };
  return {
    ...{ generation: 1, release, replicas, paused: false, wishedMs: nowMs, releases, pods, podsMade: replicas, scaler, schemaVersion, broken, reverts },
    observed: { generation: 1, release, replicas },
    writers: { release: writer, replicas: writer },
    timing: times,
    faults: [],
    steppedMs: nowMs,
  };
}

export const releaseIdOf = (revision: string) => `release-${revision}`;
export const podName = (n: number) => `pod-${String(n)}`;
const schemaOf = (schema: string | undefined) => (schema === undefined ? {} : { schema });
