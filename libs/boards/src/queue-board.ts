import type { BoardSpec, RowSpec } from './board.js';
import { QJ, quantile, sumRate } from './selectors.js';
import { QUEUE } from './variables.js';

const NOW: RowSpec = {
  title: 'Now',
  panels: [
    {
      ...{ type: 'stat', title: 'Failing', width: 3, unit: 'percentunit', noValue: 'nothing ends' },
      description: 'Part of the attempts that ended in the last two minutes and failed or were lost.',
      alert: { name: 'WorkerReactorCriticalSaturation', at: 0.25 },
      queries: [[`sum(rate(worker_jobs_failed_total{${QJ}}[2m])) / sum(rate(worker_jobs_processed_total{${QJ}}[2m])) >= 0`, 'ratio']],
    },
    {
      ...{ type: 'stat', title: 'Waiting', width: 3, unit: 'short', noValue: 'unknown' },
      description: 'Jobs that wait for a worker.',
      alert: { name: 'JobwardenQueueDeep', at: 5_000 },
      queries: [[`sum(worker_queue_unprocessed_messages{${QJ}})`, 'jobs']],
    },
    {
      ...{ type: 'stat', title: 'Oldest waits for', width: 3, unit: 's', noValue: 'unknown' },
      description: 'Age of the job that waits longest.',
      queries: [[`max(worker_queue_oldest_waiting_seconds{${QJ}})`, 'oldest']],
    },
    {
      ...{ type: 'stat', title: 'Run time against usual', width: 3, unit: 'none', noValue: 'no baseline' },
      description: 'The p99 of the last minutes over the p99 that history teaches; 1 is as ever.',
      alert: { name: 'JobwardenRunsSlow', at: 2 },
      queries: [[`max((${quantile(0.99, 'worker_job_run_seconds', QJ, 'queue')}) / on (queue) max by (queue) (worker_job_run_baseline_seconds{${QJ},quantile="0.99"}))`, 'times']],
    },
    {
      ...{ type: 'stat', title: 'Workers', width: 3, unit: 'short', noValue: 'no worker tells', worthALook: { at: 1, below: true } },
      description: 'Worker processes that told within the last minute how they stand, with a job of the queue in hand.',
      queries: [[`sum(worker_processes{${QJ}})`, 'workers']],
    },
    {
      ...{ type: 'stat', title: 'Lets in', width: 3, unit: 'percentunit', noValue: 'by hand', worthALook: { at: 1, below: true } },
      description: 'Of what is normal: 0 paused, 100 % open. `by hand`: a person throttles it, to a rate.',
      queries: [[`min(jobwarden_queue_intake_ratio{${QJ}})`, 'part']],
    },
    {
      ...{ type: 'stat', title: 'Revisions refused', width: 3, unit: 'short', worthALook: { at: 1 } },
      description: 'Releases of workers that are out of service here.',
      queries: [[`max(jobwarden_revisions_refused{${QJ}})`, 'revisions']],
    },
    {
      ...{ type: 'stat', title: 'Nothing decided for', width: 3, unit: 's' },
      description: 'How long the job has waited that gets nowhere and about which nothing was decided.',
      alert: { name: 'JobwardenJobsStuck', at: 300 },
      queries: [[`max(jobwarden_oldest_unresolved_seconds{${QJ}})`, 'longest']],
    },
  ],
};

const LATENCY: RowSpec = {
  title: 'Latency against what is usual',
  panels: [
    {
      ...{ type: 'timeseries', title: 'Run time', width: 12, unit: 's', dashed: '/usual/' },
      description: 'How long attempts ran that succeeded; dashed is what history teaches. Both lines above theirs: something that all jobs use is slow. The p99 alone: some jobs, or some workers.',
      alert: { name: 'JobwardenRunsSlow' },
      queries: [
        [quantile(0.5, 'worker_job_run_seconds', QJ, 'queue'), 'p50 {{queue}}'],
        [quantile(0.99, 'worker_job_run_seconds', QJ, 'queue'), 'p99 {{queue}}'],
        [`max by (queue, quantile) (worker_job_run_baseline_seconds{${QJ}})`, 'usual p{{quantile}} {{queue}}'],
      ],
    },
    {
      ...{ type: 'timeseries', title: 'Wait for a worker', width: 12, unit: 's' },
      description: 'From when an attempt could begin (queued, due or requeued) to its start. Where the queue grants attempts itself it is unknown.',
      queries: [
        [quantile(0.5, 'worker_job_wait_seconds', QJ, 'queue'), 'p50 {{queue}}'],
        [quantile(0.99, 'worker_job_wait_seconds', QJ, 'queue'), 'p99 {{queue}}'],
      ],
    },
  ],
};

const TRAFFIC: RowSpec = {
  title: 'Traffic',
  panels: [
    {
      ...{ type: 'timeseries', title: 'Jobs', width: 12, unit: 'ops' },
      description: 'What is put in, begun and ended a second, by how it ended.',
      queries: [
        [sumRate('worker_jobs_queued_total', QJ), 'queued'],
        [sumRate('worker_attempts_started_total', QJ), 'started'],
        [sumRate('worker_jobs_processed_total', QJ, 'status'), '{{status}}'],
      ],
    },
    {
      ...{ type: 'timeseries', title: 'What Jobwarden gives anew', width: 12, unit: 'ops' },
      description: 'Requeues granted, those that took a token of the budget, and looks at which there was none left.',
      queries: [
        [sumRate('worker_jobs_requeued_total', QJ), 'requeued'],
        [sumRate('jobwarden_budget_spent_total', QJ), 'out of the budget'],
        [sumRate('jobwarden_budget_denied_total', QJ), 'budget empty'],
      ],
    },
  ],
};

const ERRORS: RowSpec = {
  title: 'Errors',
  panels: [
    {
      ...{ type: 'timeseries', title: 'Part that fails', width: 8, unit: 'percentunit', max: 1 },
      description: 'Of what ends in two minutes, lost leases included.',
      alert: { name: 'WorkerReactorCriticalSaturation', at: 0.25 },
      queries: [[`sum by (queue) (rate(worker_jobs_failed_total{${QJ}}[2m])) / sum by (queue) (rate(worker_jobs_processed_total{${QJ}}[2m])) >= 0`, '{{queue}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Retries', width: 8, unit: 'ops', dashed: '/spike/' },
      description: 'Retries a second, and dashed from where on they are a spike: four times the rate of the last hour.',
      alert: { name: 'JobwardenRetrySpike', at: 4 },
      queries: [
        [`sum by (queue) (rate(worker_jobs_retried_total{${QJ}}[5m]))`, '{{queue}}'],
        [`4 * sum by (queue) (rate(worker_jobs_retried_total{${QJ}}[1h]))`, 'spike {{queue}}'],
      ],
    },
    {
      ...{ type: 'timeseries', title: 'Dead letters arriving', width: 8, unit: 'short' },
      description: 'Jobs that failed for good within ten minutes.',
      alert: { name: 'JobwardenDeadLettersArriving', at: 0 },
      queries: [[`sum by (queue) (increase(worker_jobs_dead_lettered_total{${QJ}}[10m]))`, '{{queue}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Dead letters nobody has looked at', width: 8, unit: 's' },
      description: 'How long the oldest of them has lain there since the last review; dashed the oldest of all, looked at or not.',
      alert: { name: 'JobwardenDeadLettersUnreviewed', at: 86_400 },
      dashed: '/oldest/',
      queries: [
        [`max by (queue) (jobwarden_dead_letter_unreviewed_seconds{${QJ}})`, '{{queue}}'],
        [`max by (queue) (jobwarden_dead_letter_oldest_seconds{${QJ}})`, 'oldest {{queue}}'],
      ],
    },
    {
      ...{ type: 'timeseries', title: 'Lease renewals that fail', width: 8, unit: 'short' },
      description: 'Within five minutes, as workers report them.',
      alert: { name: 'JobwardenLeaseRenewalsFailing', at: 5 },
      queries: [[`sum by (queue) (increase(worker_lease_renewals_failed_total{${QJ}}[5m]))`, '{{queue}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Jobs found lost, hung or starved', width: 8, unit: 'short' },
      description: 'Verdicts within ten minutes.',
      alert: { name: 'JobwardenJobsLost', at: 10 },
      queries: [[`sum by (queue, verdict) (increase(jobwarden_verdicts_total{${QJ}}[10m]))`, '{{verdict}} {{queue}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Refused writes', width: 8, unit: 'ops' },
      description: 'What workers told of an attempt that was no longer theirs: work that was done twice. More of it with a new release is a lease that is too short for it.',
      queries: [[sumRate('worker_writes_refused_total', QJ, 'queue'), '{{queue}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Acts that proved wrong', width: 8, unit: 'short' },
      description: 'Attempts that were given up and then showed that they were alive, within an hour; one of them takes the action back to observe.',
      queries: [
        [`sum by (queue, action) (increase(jobwarden_wrong_acts_total{${QJ}}[1h]))`, '{{action}} {{queue}}'],
        [`sum by (queue, action) (increase(jobwarden_level_fallbacks_total{${QJ}}[1h]))`, '{{action}} fell back {{queue}}'],
      ],
    },
    {
      ...{ type: 'timeseries', title: 'Recovery held', width: 8, unit: 'short' },
      description: '1 while a blackout holds the recovery of the queue, or it is probed: many jobs and workers fell silent at once, which is more likely a broken network than as many deaths.',
      queries: [[`max by (queue, by) (jobwarden_recovery_held{${QJ}})`, '{{by}} {{queue}}']],
    },
  ],
};

const SATURATION: RowSpec = {
  title: 'Saturation',
  panels: [
    {
      ...{ type: 'timeseries', title: 'Depth', width: 8, unit: 'short', noValue: 'unknown' },
      description: 'Jobs that wait for a worker. A gap is unknown, not empty.',
      alert: { name: 'JobwardenQueueDeep', at: 5_000 },
      queries: [[`sum by (queue) (worker_queue_unprocessed_messages{${QJ}})`, '{{queue}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Oldest job that waits', width: 8, unit: 's', noValue: 'unknown' },
      description: 'Its age. A straight line upwards: no worker takes anything.',
      queries: [[`max by (queue) (worker_queue_oldest_waiting_seconds{${QJ}})`, '{{queue}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Part that is let in', width: 8, unit: 'percentunit', max: 1 },
      description: 'Part of what is normal: the steps of a run that isolates and readmits are seen here.',
      queries: [[`max by (queue) (jobwarden_queue_intake_ratio{${QJ}})`, '{{queue}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Claims that are let in', width: 8, unit: 'ops', noValue: 'not throttled' },
      description: 'A second, of a queue that is throttled.',
      queries: [[`max by (queue) (jobwarden_queue_intake_limit{${QJ}})`, '{{queue}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Heap of the fullest worker', width: 8, unit: 'percentunit', max: 1, noValue: 'no worker tells' },
      description: 'Heap in use over its limit. Steps upwards that no collection takes back are a leak.',
      alert: { name: 'JobwardenWorkersNearHeapLimit', at: 0.9 },
      queries: [[`max by (queue) (worker_heap_used_ratio{${QJ}})`, '{{queue}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Event loop of the slowest worker', width: 8, unit: 's', noValue: 'no worker tells' },
      description: 'Its lag. Near a third of the lease its heartbeats come too late.',
      queries: [[`max by (queue) (worker_event_loop_lag_seconds{${QJ}})`, '{{queue}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Pools of the workers', width: 8, unit: 'short', noValue: 'no worker tells' },
      description: 'Connections in use and callers that wait for one, summed up.',
      alert: { name: 'JobwardenWorkerPoolsExhausted' },
      queries: [
        [`sum by (queue) (worker_pool_connections_in_use{${QJ}})`, 'in use {{queue}}'],
        [`sum by (queue) (worker_pool_callers_waiting{${QJ}})`, 'waiting {{queue}}'],
      ],
    },
    {
      ...{ type: 'timeseries', title: 'Workers that tell', width: 8, unit: 'short', noValue: 'no worker tells' },
      description: 'Processes that tell how they stand, with a job of the queue in hand. A worker that holds nothing is not counted.',
      queries: [[`sum by (queue) (worker_processes{${QJ}})`, '{{queue}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Dead letters', width: 8, unit: 'short' },
      description: 'Those that lie there now.',
      queries: [[`sum by (queue) (jobwarden_dead_letters{${QJ}})`, '{{queue}}']],
    },
  ],
};

export const QUEUE_BOARD: BoardSpec = {
  uid: 'jobwarden-queue',
  title: 'Jobwarden: one queue',
  description: 'The four golden signals of the queues that are chosen above, with their incidents and releases.',
  variables: [QUEUE],
  ofQueue: true,
  goesOn: { title: 'Jobs of the queue in Jobwarden', path: '/jobs?queue=${queue:percentencode}' },
  rows: [NOW, LATENCY, TRAFFIC, ERRORS, SATURATION],
};
