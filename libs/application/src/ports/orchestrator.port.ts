import type { WorkloadSeen, WorkloadWanted } from '#libs/domain';

/**
 * Whoever runs the workers: a cluster, an operator's own commands, or a simulation. Two verbs: look, and write what is wished for.
 *
 * Both have a deadline of their own and end with it, whatever hangs. None waits for a rollout: that is asked by looking again (`rolledOut`, `gone` of the
 * domain). Every failure is an {@link OrchestratorError}; what is tried again is for the caller to decide, not for the adapter.
 */
export interface Orchestrator {
  readonly kind: 'kubernetes' | 'command' | 'simulated';
  /** One look, everything in it of one moment as far as the cluster allows. Changes nothing. */
  observe(target: string, signal: AbortSignal): Promise<WorkloadSeen>;
  /**
   * One write of release and number of pods, on what was seen: refused as `conflict` where somebody else has changed the wish since that look. Repeatable:
   * where it stands already nothing is written, also when the answer to an earlier try was lost.
   */
  apply(target: string, wanted: WorkloadWanted, seen: WorkloadSeen, options: ApplyOptions): Promise<Applied>;
}

export interface ApplyOptions {
  readonly signal: AbortSignal;
  /** All is checked, by the cluster too where it can, and nothing is changed. Default false. */
  readonly dryRun?: boolean;
  /**
   * Calls that write, at most, those that are refused or get no answer counted as well: whoever asks has counted them against its limit per
   * minute. With none left it ends with the failure of the last one, or as `conflict` with a part of it written. Default: as many as the adapter's own tries take.
   */
  readonly mostWrites?: number;
  /**
   * Asked right before each call that writes: false, and it ends as `conflict`. Nobody else need have written since the look for it to be
   * out of date: whoever decided it may have been halted since, and a person may have stopped all of it meanwhile. Default: it may.
   */
  readonly mayWrite?: () => Promise<boolean>;
}

export interface Applied {
  /** false: it stood already. With `dryRun`: whether it would have been changed. */
  readonly changed: boolean;
  /** The generation of the wish afterwards: what `rolledOut` is asked with. With `dryRun`: that of now. */
  readonly generation: number;
  readonly version: string;
  /** Calls that wrote, 0 with `changed: false`: for the limit of writes per minute. */
  readonly writes: number;
}

/**
 * - `unreachable`: no connection, or a fault of the other side; nothing is known of the write, repeat it.
 * - `timed_out`: no answer in time; as above.
 * - `throttled`: too many calls; `retryAfterMs` says when, where the other side did.
 * - `conflict`: somebody else has written since the look: look again and decide anew.
 * - `forbidden`: a right or the credentials are missing; the message says which. Repeating does not mend it.
 * - `not_found`: there is no such target, or no such release any more.
 * - `rejected`: the other side finds the write itself wrong. Repeating does not mend it.
 * - `unsupported`: this kind of target cannot do that, or the target's name is none.
 */
export const ORCHESTRATOR_FAILURES = ['unreachable', 'timed_out', 'throttled', 'conflict', 'forbidden', 'not_found', 'rejected', 'unsupported'] as const;
export type OrchestratorFailure = (typeof ORCHESTRATOR_FAILURES)[number];

/** Which failures may pass by themselves. `conflict` is none of them: it needs a new look first. */
export const PASSING_FAILURES: ReadonlySet<OrchestratorFailure> = new Set(['unreachable', 'timed_out', 'throttled']);

export class OrchestratorError extends Error {
  /** What the other side asked to wait; null: it did not say. */
  readonly retryAfterMs: number | null;

  /** The message is for people, one sentence, without secrets: it is stored in an incident and sent to a pager. */
  constructor(
    readonly code: OrchestratorFailure,
    message: string,
    options: ErrorOptions & { readonly retryAfterMs?: number | null } = {},
  ) {
    super(message, options);
    this.name = 'OrchestratorError';
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** Orchestrators by what a target's name begins with: `command:`, `simulated:`, else Kubernetes. */
export interface Orchestrators {
  /** Throws {@link OrchestratorError} `unsupported` where no orchestrator of this kind is set up. */
  for(target: string): Orchestrator;
}
