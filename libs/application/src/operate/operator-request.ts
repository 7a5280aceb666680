import type { DecisionKind, JobStatus, LimitsChange } from '#libs/domain';

/** What an operator may ask for a job. */
export const OPERATOR_ACTIONS = ['cancel', 'restart', 'redrive', 'resolve', 'discard', 'limits'] as const;
export type OperatorAction = (typeof OPERATOR_ACTIONS)[number];

export interface OperatorRequest {
  /** Why; kept as the decision's reason. Not blank. */
  readonly reason: string;
  /** Who asks: the name of a token, or of whoever runs the service. */
  readonly by: string;
  /** Beyond a bound that is there against mistakes (`maxRedrives`); kept with the decision. Default false. */
  readonly force?: boolean;
  /** Of `limits` only; what is left out stays as it is. */
  readonly limits?: LimitsChange;
}

/** Why a call does not apply to where the job stands. Stable and public. */
export const CONFLICT_CODES = [
  'finished',
  'not_finished',
  'already_succeeded',
  'not_restartable',
  'not_closable',
  'max_redrives',
  'payload_erased',
  'not_dead_lettered',
  'payload_missing',
  'payload_elsewhere',
  'payload_changed',
  'result_differs',
  'recovering',
  /** Of a call on many: it has become something else since it was found. */
  'not_meant',
] as const;
export type ConflictCode = (typeof CONFLICT_CODES)[number];

/** Why a request is none, wherever the job stands. Stable and public. */
export const REQUEST_FAULTS = ['reason_required', 'reason_too_long', 'limits_required'] as const;
export type RequestFault = (typeof REQUEST_FAULTS)[number];

/** A past redrive or dead letter of the job: what a refused redrive shows. */
export interface PastDecision {
  readonly n: number;
  readonly kind: DecisionKind;
  readonly attempt: number;
  readonly reason: string;
  readonly by: string;
  readonly laneMs: number;
}

export interface Conflict {
  readonly kind: 'conflict';
  readonly code: ConflictCode;
  readonly status: JobStatus;
  readonly attempt: number;
  readonly n: number;
  /** For people. */
  readonly detail: string;
  readonly history?: readonly PastDecision[];
}

export interface RetiredJob {
  readonly status: JobStatus;
  readonly attempt: number;
  readonly token: number;
  readonly sinceMs: number;
}

export type OperatorOutcome =
  | {
      readonly kind: 'done';
      readonly status: JobStatus;
      readonly attempt: number;
      readonly token: number;
      /** Number of the last decision. */
      readonly n: number;
      /** What was decided now, oldest first. */
      readonly decisions: readonly { readonly n: number; readonly kind: DecisionKind }[];
    }
  | Conflict
  | { readonly kind: 'refused'; readonly code: RequestFault; readonly detail: string }
  | { readonly kind: 'not_found' }
  /** Below the retention line: only its summary is left. */
  | { readonly kind: 'retired'; readonly summary: RetiredJob };
