import type { RowSpec } from './board.js';
import { IJ, J, quantile, sumRate } from './selectors.js';

export const INTAKE: RowSpec = {
  title: 'What comes in',
  panels: [
    {
      ...{ type: 'timeseries', title: 'Events', width: 8, unit: 'ops' },
      description: 'By what became of them. `refused` goes back to its sender, `quarantined` waits for a person.',
      queries: [[sumRate('jobwarden_ingest_events_total', IJ, 'outcome'), '{{outcome}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Quarantined', width: 8, unit: 'short' },
      description: 'Events that could not be taken in, within an hour, by reason.',
      queries: [[`sum by (reason) (increase(jobwarden_quarantined_events_total{${IJ}}[1h]))`, '{{reason}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Contradictions', width: 8, unit: 'ops' },
      description: 'What was told of a job and does not agree with what was told before, by code.',
      queries: [[sumRate('jobwarden_anomalies_total', IJ, 'code'), '{{code}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Append', width: 8, unit: 's' },
      description: 'Time of one append with its fold, commit included.',
      queries: [
        [quantile(0.5, 'jobwarden_append_duration_seconds', IJ), 'p50'],
        [quantile(0.99, 'jobwarden_append_duration_seconds', IJ), 'p99'],
      ],
    },
    {
      ...{ type: 'timeseries', title: 'Events committed together', width: 8, unit: 'short' },
      description: 'It grows with the load, which is as it should be.',
      queries: [[quantile(0.5, 'jobwarden_append_batch_events', IJ), 'p50']],
    },
    {
      ...{ type: 'bargauge', title: 'Busiest queues and kinds', width: 8, unit: 'short' },
      description: 'Facts of the last minute: whoever floods is named here.',
      queries: [[`topk(10, sum by (queue, kind) (jobwarden_ingest_hot_queue_events{${IJ}}))`, '{{queue}} {{kind}}']],
    },
  ],
};

export const LANES: RowSpec = {
  title: 'Lanes',
  panels: [
    {
      ...{ type: 'timeseries', title: 'Read up to', width: 8, unit: 's', noValue: 'unknown' },
      description: 'How far a lane has been read behind its own clock. Nothing is decided on a job whose lane has not been read: a lane that stands holds all decisions.',
      queries: [[`max by (lane) (jobwarden_lane_watermark_lag_seconds{${J}})`, '{{lane}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Kafka: not stored yet', width: 8, unit: 'short', noValue: 'no Kafka' },
      description: 'Records of each partition, ticks included.',
      queries: [[`max by (lane) (jobwarden_lane_behind_records{${J}})`, '{{lane}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Kafka: from the broker to the commit', width: 8, unit: 's', noValue: 'no Kafka' },
      description: 'By the clocks of two machines.',
      queries: [
        [quantile(0.5, 'jobwarden_lane_ingest_lag_seconds', IJ), 'p50'],
        [quantile(0.99, 'jobwarden_lane_ingest_lag_seconds', IJ), 'p99'],
      ],
    },
    {
      ...{ type: 'timeseries', title: 'Kafka: connected', width: 8, unit: 'bool_on_off', max: 1, noValue: 'no Kafka' },
      description: '1 while a replica reads.',
      queries: [[`max by (instance) (jobwarden_kafka_connected{${IJ}})`, '{{instance}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Kafka: what keeps it from reading', width: 8, unit: 'short' },
      description: 'Within ten minutes. Pauses: batches that could not be stored, mostly for the database. Rebalances without a deploy: replicas come and go.',
      queries: [
        [`sum(increase(jobwarden_kafka_rebalances_total{${IJ}}[10m]))`, 'rebalances'],
        [`sum(increase(jobwarden_kafka_pauses_total{${IJ}}[10m]))`, 'pauses'],
        [`sum(increase(jobwarden_kafka_stalls_total{${IJ}}[10m]))`, 'stalls'],
        [`sum(increase(jobwarden_kafka_ticks_failed_total{${IJ}}[10m]))`, 'ticks that failed'],
      ],
    },
    {
      ...{ type: 'timeseries', title: 'Partitions that are not read', width: 8, unit: 'short', worthALook: { at: 1 } },
      description: 'Until an operator says where to go on: `jobwarden lanes` shows which.',
      queries: [[`max(jobwarden_lanes_stopped{${J}})`, 'stopped']],
    },
  ],
};

export const RECONCILING: RowSpec = {
  title: 'Looks and decisions',
  panels: [
    {
      ...{ type: 'timeseries', title: 'Looks', width: 8, unit: 'ops' },
      description: 'Jobs that were looked at, and decisions that came of it. Many looks and no decision: something holds them.',
      queries: [
        [sumRate('jobwarden_sweep_looked_total', IJ), 'looked at'],
        [sumRate('jobwarden_sweep_decided_total', IJ), 'decided'],
      ],
    },
    {
      ...{ type: 'timeseries', title: 'Time of a look', width: 8, unit: 's' },
      description: 'Of one look at what is due, and how long what is due longest has waited for one.',
      queries: [
        [quantile(0.99, 'jobwarden_sweep_duration_seconds', IJ), 'p99'],
        [`max(jobwarden_sweep_lag_seconds{${J}})`, 'late by'],
      ],
    },
    {
      ...{ type: 'timeseries', title: 'Decisions that are due and held', width: 8, unit: 'short' },
      description: 'Jobs, by what holds them.',
      queries: [[`max by (by) (jobwarden_jobs_held{${J}})`, '{{by}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Looks that ended without a decision', width: 8, unit: 'ops' },
      description: 'By what held it.',
      queries: [[sumRate('jobwarden_verdicts_held_total', IJ, 'by'), '{{by}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Alerts that came in', width: 8, unit: 'short' },
      description: 'Within an hour, by what became of them. `refused`: the rule or the way there is wrong, and nothing would be done in an emergency.',
      queries: [[`sum by (outcome) (increase(jobwarden_alerts_total{${IJ}}[1h]))`, '{{outcome}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Evidence kept', width: 8, unit: 'bytes' },
      description: 'Reports and heap snapshots of bad workers; they go when they are erased.',
      queries: [[`max(jobwarden_evidence_kept_bytes{${J}})`, 'kept']],
    },
  ],
};

export const PUBLISHING: RowSpec = {
  title: 'What goes out',
  panels: [
    {
      ...{ type: 'timeseries', title: 'Messages', width: 8, unit: 'ops' },
      description: 'Delivered, by channel; and commands that were no longer true when they were due.',
      queries: [
        [sumRate('jobwarden_published_total', IJ, 'channel'), '{{channel}}'],
        [sumRate('jobwarden_publisher_skipped_total', IJ), 'skipped'],
      ],
    },
    {
      ...{ type: 'timeseries', title: 'Late by', width: 8, unit: 's', noValue: 'unknown' },
      description: 'Age of the oldest entry that is not yet published, the five worst shards. It grows while a sink does not acknowledge.',
      queries: [[`topk(5, max by (shard) (jobwarden_publisher_lag_seconds{${J}}))`, 'shard {{shard}}']],
    },
    {
      ...{ type: 'timeseries', title: 'Not acknowledged', width: 8, unit: 'short' },
      description: 'Messages that a webhook has not acknowledged and that are sent again, and those that were given up and wait for an operator.',
      queries: [
        [`max(jobwarden_webhook_retrying{${J}})`, 'sent again'],
        [`max(jobwarden_publisher_parked{${J}})`, 'parked'],
      ],
    },
    {
      ...{ type: 'timeseries', title: 'Time of a batch', width: 8, unit: 's' },
      description: 'From taking it to its checkpoint.',
      queries: [
        [quantile(0.5, 'jobwarden_publish_duration_seconds', IJ), 'p50'],
        [quantile(0.99, 'jobwarden_publish_duration_seconds', IJ), 'p99'],
      ],
    },
  ],
};
