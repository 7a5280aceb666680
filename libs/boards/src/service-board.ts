import type { BoardSpec, RowSpec } from './board.js';
import { INTAKE, LANES, PUBLISHING, RECONCILING } from './service-work.js';
import { IJ, J, quantile, rate, sumRate } from './selectors.js';
import { INSTANCE } from './variables.js';

const NOW: RowSpec = {
  title: 'Now',
  panels: [
    {
      ...{ type: 'stat', title: 'Replicas up', width: 4, unit: 'short', worthALook: { at: 1, below: true } },
      description: 'Of those that Prometheus knows.',
      alert: { name: 'JobwardenReplicaDown' },
      queries: [[`sum(up{${IJ}})`, 'replicas']],
    },
    {
      ...{ type: 'stat', title: 'Event loop, p99', width: 4, unit: 's' },
      description: 'How late the slowest replica does what is due.',
      alert: { name: 'JobwardenStrained', at: 0.5 },
      queries: [[`max(${quantile(0.99, 'jobwarden_event_loop_delay_seconds', IJ, 'instance')})`, 'delay']],
    },
    {
      ...{ type: 'stat', title: 'Heap', width: 4, unit: 'percentunit', max: 1 },
      description: 'In use over its limit, of the fullest replica.',
      alert: { name: 'JobwardenStrained', at: 0.9 },
      queries: [[`max(nodejs_heap_size_used_bytes{${IJ}} / jobwarden_heap_limit_bytes{${IJ}})`, 'heap']],
    },
    {
      ...{ type: 'stat', title: 'Looks late by', width: 4, unit: 's', noValue: 'unknown', worthALook: { at: 10 } },
      description: 'How long the job that has been due longest has waited for its look. Unknown: no replica tells, and no alert on queues can fire.',
      alert: { name: 'JobwardenFiguresAbsent' },
      queries: [[`max(jobwarden_sweep_lag_seconds{${J}})`, 'lag']],
    },
    {
      ...{ type: 'stat', title: 'Publishing late by', width: 4, unit: 's', noValue: 'unknown', worthALook: { at: 10 } },
      description: 'Age of the oldest entry of any shard that is not yet published.',
      queries: [[`max(jobwarden_publisher_lag_seconds{${J}})`, 'lag']],
    },
    {
      ...{ type: 'stat', title: 'Needs a person', width: 4, unit: 'short', worthALook: { at: 1 } },
      description: 'Messages that could not be delivered, partitions that are not read, and policy files with faults, of all together.',
      queries: [[`max(jobwarden_publisher_parked{${J}}) + max(jobwarden_lanes_stopped{${J}}) + max(jobwarden_policy_reload_failed{${IJ}})`, 'of them']],
    },
  ],
};

const DATABASE: RowSpec = {
  title: 'Database',
  panels: [
    {
      ...{ type: 'timeseries', title: 'Connections', width: 8, unit: 'short' },
      description: 'In use, and callers that wait for one. Callers that wait for more than a moment: the database is slow, or there are too few connections.',
      queries: [
        [`sum by (instance) (jobwarden_database_pool_in_use{${IJ}})`, 'in use {{instance}}'],
        [`sum by (instance) (jobwarden_database_pool_waiting{${IJ}})`, 'waiting {{instance}}'],
      ],
    },
    {
      ...{ type: 'timeseries', title: 'Oldest open transaction', width: 8, unit: 's', noValue: 'not visible' },
      description: 'It keeps dead rows from being removed. Hours: find it in pg_stat_activity and end it.',
      queries: [[`max(jobwarden_oldest_xmin_age_seconds{${J}})`, 'age']],
    },
    {
      ...{ type: 'timeseries', title: 'Dead rows', width: 8, unit: 'percentunit', max: 1 },
      description: 'Of all rows of a table, the five worst. A line that only rises: vacuum does not come to an end, mostly for an open transaction.',
      queries: [[`topk(5, max by (table) (jobwarden_dead_rows_ratio{${J}}))`, '{{table}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Rows audited', width: 8, unit: 'ops' },
      description: 'Rows that were compared with the fold of their events, and those that a new version of the fold brought up to date.',
      queries: [
        [sumRate('jobwarden_audited_rows_total', IJ), 'audited'],
        [sumRate('jobwarden_refolded_rows_total', IJ), 'refolded'],
      ],
    },
    {
      ...{ type: 'timeseries', title: 'Rows that were not equal to their events', width: 8, unit: 'short', worthALook: { at: 1 } },
      description: 'Within an hour. Never: each is mended, logged, and a fault of Jobwarden or of the database.',
      queries: [[`sum(increase(jobwarden_projection_drift_total{${IJ}}[1h]))`, 'rows']],
    },
    {
      ...{ type: 'timeseries', title: 'Restored, and only observed', width: 8, unit: 'short', worthALook: { at: 1 } },
      description: '1 while the database counts as restored from a backup: nothing is decided or sent until `jobwarden recover`.',
      alert: { name: 'JobwardenRestored' },
      queries: [[`max(jobwarden_restored{${IJ}})`, 'restored']],
    },
  ],
};

const HTTP: RowSpec = {
  title: 'HTTP',
  panels: [
    {
      ...{ type: 'timeseries', title: 'Requests', width: 8, unit: 'reqps' },
      description: 'By class of their answer; streams are left out. 4xx: somebody sends what is refused. 5xx: look at the log.',
      queries: [[sumRate('jobwarden_http_request_duration_seconds_count', IJ, 'status'), '{{status}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Slowest routes, p99', width: 8, unit: 's' },
      description: 'The ten slowest.',
      queries: [[`topk(10, ${quantile(0.99, 'jobwarden_http_request_duration_seconds', IJ, 'route')})`, '{{route}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Claims', width: 8, unit: 'ops' },
      description: 'By what was answered. `held` is usual where several workers ask for one job; `revision_quarantined` is an old release that goes on asking.',
      queries: [[sumRate('jobwarden_claims_total', IJ, 'outcome'), '{{outcome}}']],
    },
  ],
};

const PROCESS: RowSpec = {
  title: 'Process',
  panels: [
    {
      ...{ type: 'timeseries', title: 'Event loop', width: 8, unit: 's' },
      description: 'How late the process does what is due.',
      alert: { name: 'JobwardenStrained', at: 0.5 },
      queries: [
        [quantile(0.5, 'jobwarden_event_loop_delay_seconds', IJ, 'instance'), 'p50 {{instance}}'],
        [quantile(0.99, 'jobwarden_event_loop_delay_seconds', IJ, 'instance'), 'p99 {{instance}}'],
      ],
    },
    {
      ...{ type: 'timeseries', title: 'Memory', width: 8, unit: 'bytes', dashed: '/limit/' },
      description: 'Heap in use, its limit, and what the process takes of the machine.',
      queries: [
        [`nodejs_heap_size_used_bytes{${IJ}}`, 'heap {{instance}}'],
        [`jobwarden_heap_limit_bytes{${IJ}}`, 'limit {{instance}}'],
        [`process_resident_memory_bytes{${IJ}}`, 'resident {{instance}}'],
      ],
    },
    {
      ...{ type: 'timeseries', title: 'Processor', width: 8, unit: 'percentunit' },
      description: 'Of one processor: all of it, and what goes into collecting garbage.',
      queries: [
        [rate('process_cpu_seconds_total', IJ), 'all {{instance}}'],
        [sumRate('nodejs_gc_duration_seconds_sum', IJ, 'instance'), 'garbage {{instance}}'],
      ],
    },
  ],
};

export const SERVICE: BoardSpec = {
  uid: 'jobwarden-service',
  title: 'Jobwarden itself',
  description: 'Whether Jobwarden does its work: what comes in, what is looked at, what goes out, and what it needs for that.',
  variables: [INSTANCE],
  goesOn: { title: 'Jobwarden', path: '/' },
  rows: [NOW, INTAKE, LANES, RECONCILING, PUBLISHING, DATABASE, HTTP, PROCESS],
};
