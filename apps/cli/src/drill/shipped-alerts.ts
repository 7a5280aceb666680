/** The alerts of `deploy/prometheus`, which are not where the command runs; a test compares the two. */
export const SHIPPED_ALERTS = [
  'JobwardenAbsent',
  'JobwardenBacklogUnknown',
  'JobwardenDeadLettersArriving',
  'JobwardenDeadLettersUnreviewed',
  'JobwardenFiguresAbsent',
  'JobwardenJobsLost',
  'JobwardenJobsStuck',
  'JobwardenLeaseRenewalsFailing',
  'JobwardenQueueDeep',
  'JobwardenReplicaDown',
  'JobwardenRestored',
  'JobwardenRetrySpike',
  'JobwardenRunsSlow',
  'JobwardenStrained',
  'JobwardenWorkerPoolsExhausted',
  'JobwardenWorkersNearHeapLimit',
  'WorkerReactorCriticalSaturation',
] as const;

/** The name by which the rules know what is scraped. */
export const SCRAPE_JOB = 'jobwarden';
/** Told by one replica, of the database: without it no alert on queues can fire. */
export const SHIPPED_METRIC = 'jobwarden_sweep_lag_seconds';
