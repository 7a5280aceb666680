import type { EnqueueCommandData, Position, TraceContext } from '@jobwarden/client';
import type { Job, RunSpec } from './spec.js';

/** What is known of an attempt before its handler runs. */
export interface Granted {
  attempt: number;
  token: number | undefined;
  leaseMs: number;
  invalidation: Position | undefined;
  command: EnqueueCommandData | undefined;
  /** A claim has granted it: another worker gets it only once it is let go. */
  claimed: boolean;
}

/** By what the caller brings along, as long as no claim has said more. */
export function assumed(spec: RunSpec, leaseMs: number): Granted {
  const { command } = spec;
  return {
    attempt: spec.attempt ?? command?.attempt ?? 1,
    token: spec.token ?? command?.token,
    leaseMs,
    invalidation: command?.invalidation,
    command,
    claimed: false,
  };
}

export interface JobParts {
  readonly spec: RunSpec;
  /** Read at each look: a claim that was late adds the token. */
  readonly granted: Granted;
  readonly payload: unknown;
  readonly signal: AbortSignal;
  readonly trace: TraceContext | undefined;
  readonly progress: (value: unknown) => void;
  /** Aborts the signal where the lease is over by now. */
  readonly look: () => void;
}

export function jobHandle<P>({ spec, granted, payload, signal, trace, progress, look }: JobParts): Job<P> {
  const { queue, id } = spec;
  const { command } = granted;
  return {
    ...{ queue, id, progress },
    get signal(): AbortSignal {
      look();
      return signal;
    },
    traceparent: trace?.traceparent,
    tracestate: trace?.tracestate,
    attempt: granted.attempt,
    get token(): number | undefined {
      look();
      return granted.token;
    },
    kind: spec.kind ?? command?.kind,
    payload: payload as P,
    previousWorker: command?.previousWorker,
    lastProgress: command?.progress,
    get invalidation(): Position | undefined {
      return granted.invalidation;
    },
  };
}

/** Raw, as the caller has it, or as Jobwarden kept it. */
export function payloadOf(spec: RunSpec, granted: Granted): unknown {
  return 'payload' in spec ? spec.payload : granted.command?.payload;
}
