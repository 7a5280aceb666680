export const SIGNAL_SOURCES = ['alertmanager', 'evaluator', 'person'] as const;
export type SignalSource = (typeof SIGNAL_SOURCES)[number];

/** Why an alert is no signal that could be acted on: kept, and listed with this reason. */
export const SIGNAL_REFUSALS = [
  'no_queue',
  'queue_unknown',
  'queue_ambiguous',
  'time_invalid',
  'alert_invalid',
  'payload_invalid',
  'version_unknown',
] as const;
export type SignalRefusal = (typeof SIGNAL_REFUSALS)[number];

/** Why a signal leads to nothing. */
export const SETTLEMENTS = [
  ...SIGNAL_REFUSALS,
  /** Its first word was that it is over. */
  'resolved_before_firing',
  /** It ended before anything was done about it. */
  'over',
  /** Nobody has said for an hour that it goes on. */
  'silent',
  'maintenance',
  'cool_down',
  'joined',
] as const;
export type Settlement = (typeof SETTLEMENTS)[number];
