import type { BoardSpec, RowSpec } from './board.js';
import { J, sumRate } from './selectors.js';

/** So many queues are named: the worst of them. */
const WORST = 10;
const worst = (expr: string): string => `topk(${String(WORST)}, ${expr})`;

const NOW: RowSpec = {
  title: 'Now',
  panels: [
    {
      ...{ type: 'stat', title: 'Replicas up', width: 4, unit: 'short', worthALook: { at: 1, below: true } },
      description: 'Replicas of Jobwarden that Prometheus reaches. None: nothing below is true any more.',
      alert: { name: 'JobwardenAbsent' },
      queries: [[`sum(up{${J}})`, 'replicas']],
    },
    {
      ...{ type: 'stat', title: 'Open incidents', width: 4, unit: 'short', worthALook: { at: 1 } },
      description: 'Whatever a person has to look at, of every kind.',
      queries: [[`sum(max by (kind) (jobwarden_incidents_open{${J}}))`, 'incidents']],
    },
    {
      ...{ type: 'stat', title: 'Failing, worst queue', width: 4, unit: 'percentunit', noValue: 'nothing ends' },
      description: 'Part of the attempts that ended in the last two minutes and failed or were lost, of the queue where it is largest.',
      alert: { name: 'WorkerReactorCriticalSaturation', at: 0.25 },
      queries: [[`max(queue:worker_jobs_failed:ratio2m{${J}})`, 'ratio']],
    },
    {
      ...{ type: 'stat', title: 'Waiting, deepest queue', width: 4, unit: 'short', noValue: 'unknown' },
      description: 'Jobs that wait for a worker in the queue where most do.',
      alert: { name: 'JobwardenQueueDeep', at: 5_000 },
      queries: [[`max(sum by (queue) (worker_queue_unprocessed_messages{${J}}))`, 'jobs']],
    },
    {
      ...{ type: 'stat', title: 'Nothing decided for', width: 4, unit: 's', noValue: 'unknown' },
      description: 'How long the job has waited that gets nowhere and about which nothing was decided.',
      alert: { name: 'JobwardenJobsStuck', at: 300 },
      queries: [[`max(jobwarden_oldest_unresolved_seconds{${J}})`, 'longest']],
    },
    {
      ...{ type: 'stat', title: 'New dead letters', width: 4, unit: 'short' },
      description: 'Jobs that failed for good in the last ten minutes.',
      alert: { name: 'JobwardenDeadLettersArriving', at: 0 },
      queries: [[`sum(increase(worker_jobs_dead_lettered_total{${J}}[10m]))`, 'jobs']],
    },
  ],
};

const LATENCY: RowSpec = {
  title: 'Latency',
  panels: [
    {
      ...{ type: 'timeseries', title: 'Run time', width: 8, unit: 's' },
      description: 'How long attempts ran that succeeded, over all queues. It moves with the mix of jobs too: the panel to its right compares each queue with itself.',
      queries: [
        [`job:worker_job_run_seconds:p50_5m{${J}}`, 'p50'],
        [`job:worker_job_run_seconds:p99_5m{${J}}`, 'p99'],
      ],
    },
    {
      ...{ type: 'timeseries', title: 'Run time against what is usual', width: 8, unit: 'none' },
      description: 'The p99 of each queue over the p99 that its history teaches: 1 is as ever. The ten slowest.',
      alert: { name: 'JobwardenRunsSlow', at: 2 },
      queries: [[worst(`queue:worker_job_run_seconds:p99_against_baseline{${J}}`), '{{queue}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Wait for a worker', width: 8, unit: 's' },
      description: 'From when an attempt could begin to its start: the p99 of each queue, the ten longest. It rises before the depth does.',
      queries: [[worst(`queue:worker_job_wait_seconds:p99_5m{${J}}`), '{{queue}}']],
    },
  ],
};

const TRAFFIC: RowSpec = {
  title: 'Traffic',
  panels: [
    {
      ...{ type: 'timeseries', title: 'Jobs', width: 12, unit: 'ops' },
      description: 'What is put in, begun and ended a second. More put in than ended for long: a queue grows. Begun and not ended: workers hang or die.',
      queries: [
        [`sum(queue:worker_jobs_queued:rate5m{${J}})`, 'queued'],
        [`sum(queue:worker_attempts_started:rate5m{${J}})`, 'started'],
        [`sum(queue:worker_jobs_processed:rate5m{${J}})`, 'ended'],
      ],
    },
    {
      ...{ type: 'bargauge', title: 'Busiest queues', width: 12, unit: 'ops' },
      description: 'Attempts that end a second, of the ten queues with most.',
      queries: [[worst(`queue:worker_jobs_processed:rate5m{${J}}`), '{{queue}}']],
    },
  ],
};

const ERRORS: RowSpec = {
  title: 'Errors',
  panels: [
    {
      ...{ type: 'timeseries', title: 'Part that fails', width: 8, unit: 'percentunit', max: 1 },
      description: 'Of what ends in two minutes, the ten worst queues. Lost leases count: a worker that dies reports nothing.',
      alert: { name: 'WorkerReactorCriticalSaturation', at: 0.25 },
      queries: [[worst(`queue:worker_jobs_failed:ratio2m{${J}}`), '{{queue}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Attempts by how they end', width: 8, unit: 'ops' },
      description: 'Over all queues. `lost` is what Jobwarden found out, `failed` what workers said.',
      queries: [[sumRate('worker_jobs_processed_total', J, 'status'), '{{status}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Dead letters arriving', width: 8, unit: 'short' },
      description: 'Jobs that failed for good within ten minutes, the ten worst queues.',
      alert: { name: 'JobwardenDeadLettersArriving', at: 0 },
      queries: [[worst(`sum by (queue) (increase(worker_jobs_dead_lettered_total{${J}}[10m]))`), '{{queue}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Retries', width: 8, unit: 'ops' },
      description: 'Retries a second, the ten worst queues. A spike without more failures is a backoff that came due all at once.',
      alert: { name: 'JobwardenRetrySpike' },
      queries: [[worst(sumRate('worker_jobs_retried_total', J, 'queue')), '{{queue}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Lease renewals that fail', width: 8, unit: 'short' },
      description: 'Within five minutes, as workers report them: they cannot reach Jobwarden or the broker, or have no time to.',
      alert: { name: 'JobwardenLeaseRenewalsFailing', at: 5 },
      queries: [[worst(`sum by (queue) (increase(worker_lease_renewals_failed_total{${J}}[5m]))`), '{{queue}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Jobs found lost, hung or starved', width: 8, unit: 'short' },
      description: 'Verdicts within ten minutes, over all queues.',
      alert: { name: 'JobwardenJobsLost', at: 10 },
      queries: [[`sum by (verdict) (increase(jobwarden_verdicts_total{${J}}[10m]))`, '{{verdict}}']],
    },
  ],
};

const SATURATION: RowSpec = {
  title: 'Saturation',
  panels: [
    {
      ...{ type: 'timeseries', title: 'Depth', width: 8, unit: 'short', noValue: 'unknown' },
      description: 'Jobs that wait, the ten deepest queues. A queue that is missing is unknown, not empty.',
      alert: { name: 'JobwardenQueueDeep', at: 5_000 },
      queries: [[worst(`sum by (queue) (worker_queue_unprocessed_messages{${J}})`), '{{queue}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Oldest job that waits', width: 8, unit: 's', noValue: 'unknown' },
      description: 'Its age, the ten oldest. It grows a second each second where no worker takes anything.',
      queries: [[worst(`max by (queue) (worker_queue_oldest_waiting_seconds{${J}})`), '{{queue}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Heap of the fullest worker', width: 8, unit: 'percentunit', max: 1, noValue: 'no worker tells' },
      description: 'Heap in use over its limit, by the queue whose jobs it holds. One line that climbs alone is a leak of one release.',
      alert: { name: 'JobwardenWorkersNearHeapLimit', at: 0.9 },
      queries: [[worst(`max by (queue) (worker_heap_used_ratio{${J}})`), '{{queue}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Event loop of the slowest worker', width: 8, unit: 's', noValue: 'no worker tells' },
      description: 'Its lag. Beyond a part of the lease its heartbeats come late, and it looks dead.',
      queries: [[worst(`max by (queue) (worker_event_loop_lag_seconds{${J}})`), '{{queue}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Callers that wait for a pool of workers', width: 8, unit: 'short', noValue: 'no worker tells' },
      description: 'They wait for a connection of their own pools, summed up over the workers of a queue.',
      alert: { name: 'JobwardenWorkerPoolsExhausted', at: 0 },
      queries: [[worst(`sum by (queue) (worker_pool_callers_waiting{${J}})`), '{{queue}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Queues that let in less than normal', width: 8, unit: 'percentunit', max: 1, noValue: 'all are open' },
      description: '0 is paused; in between is the share of a run. A queue that a person throttles is not here: it has a rate and no share.',
      queries: [[`max by (queue) (jobwarden_queue_intake_ratio{${J}}) < 1`, '{{queue}}']],
    },
  ],
};

const INCIDENTS: RowSpec = {
  title: 'Incidents and releases',
  panels: [
    {
      ...{ type: 'timeseries', title: 'Open incidents by kind', width: 8, unit: 'short' },
      description: 'As they stand.',
      queries: [[`max by (kind) (jobwarden_incidents_open{${J}})`, '{{kind}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Open incidents of saturation by cause', width: 8, unit: 'short' },
      description: 'What was found. Only a bad revision is rolled back; `unassessed` for long means that nothing explains enough.',
      queries: [[`max by (cause) (jobwarden_incident_causes{${J}}) > 0`, '{{cause}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Incidents opened and resolved', width: 8, unit: 'short' },
      description: 'Within an hour.',
      queries: [
        [`sum(increase(jobwarden_incidents_opened_total{${J}}[1h]))`, 'opened'],
        [`sum(increase(jobwarden_incidents_resolved_total{${J}}[1h]))`, 'resolved'],
      ],
    },
    {
      ...{ type: 'timeseries', title: 'Canary gates', width: 8, unit: 'short', noValue: 'none asked', max: 1 },
      description: 'What each gate answered last to a rollout that asked within the hour. `inconclusive` for long: the canary gets too little to do.',
      queries: [[`max by (target, verdict) (jobwarden_gate_verdict{${J}}) == 1`, '{{target}}: {{verdict}}']],
    },
    {
      ...{ type: 'bargauge', title: 'Revisions out of service', width: 8, unit: 'short' },
      description: 'How many are refused, by queue.',
      queries: [[`max by (queue) (jobwarden_revisions_refused{${J}}) > 0`, '{{queue}}']],
    },
    {
      ...{ type: 'bargauge', title: 'Newest releases, hours ago', width: 8, unit: 'short' },
      description: 'When a revision was first seen in a queue, of the last two days: what is new when it begins to fail is the first suspect, and mostly not to blame.',
      queries: [[`bottomk(${String(WORST)}, (time() - max by (queue, revision) (jobwarden_revision_first_seen_timestamp_seconds{${J}})) / 3600)`, '{{queue}} {{revision}}']],
    },
  ],
};

export const FLEET: BoardSpec = {
  uid: 'jobwarden-fleet',
  title: 'Jobwarden: all queues',
  description: 'The four golden signals over all queues, and the queues that stand out. Needs boards.rules.yaml.',
  variables: [],
  goesOn: { title: 'Overview in Jobwarden', path: '/' },
  rows: [NOW, LATENCY, TRAFFIC, ERRORS, SATURATION, INCIDENTS],
};
