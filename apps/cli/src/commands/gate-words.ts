import type { GateReason } from '#libs/domain';

/** What the gate's reasons mean, for people. */
export const GATE_REASON_WORDS: Readonly<Record<GateReason, string>> = {
  failures_worse: 'more of its attempts fail',
  lost_worse: 'more of its attempts are lost',
  dead_letters_worse: 'more of its jobs die',
  run_times_worse: 'it takes longer',
  not_worse: 'it is not worse',
  more_samples_needed: 'more attempts have to end before it is told',
  below_minimum_sample: 'fewer attempts have ended than the policy asks for',
  no_canary_traffic: 'no attempt of the canary has ended yet',
  no_stable_traffic: 'no attempt of stable has ended meanwhile',
  revision_unknown: 'no worker has reported this revision',
  stable_unknown: 'there is nothing to compare it with',
  target_unknown: 'no queue’s policy names this target',
  queue_unknown: 'no event has named this queue',
  database_unavailable: 'the service’s database does not answer',
};
