import { counter, gauge, histogram } from './metric-spec.js';

const LANE = { lane: { atMost: 256 } } as const;
const LAG_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300] as const;

/** Of the ways that events come in: a partition is a lane, HTTP is one. */
export const LANES = {
  laneLag: gauge(
    'jobwarden_lane_watermark_lag_seconds',
    'How far a lane has been read behind its own clock: a deadline that an unread event could clear waits so long. Exported by one replica.',
    'seconds',
    { labels: LANE, merge: 'max' },
  ),
  laneBehind: gauge(
    'jobwarden_lane_behind_records',
    'Records of a partition that are not stored yet, ticks included. Exported by one replica.',
    'records',
    { labels: LANE, merge: 'sum' },
  ),
  lanesStopped: gauge(
    'jobwarden_lanes_stopped',
    'Partitions of which nothing is read until an operator says where to go on. Exported by one replica.',
    'lanes',
    { labels: {}, merge: 'sum' },
  ),
  laneIngest: histogram(
    'jobwarden_lane_ingest_lag_seconds',
    'Time from the broker’s append of an event to the commit of what it says. Clocks of two machines.',
    'seconds',
    { labels: {}, buckets: LAG_SECONDS },
  ),
  hotQueues: gauge(
    'jobwarden_ingest_hot_queue_events',
    'Facts that this process appended in the last minute, of the ten busiest queues and kinds; at most so many. Empty kind: none was told.',
    'events',
    { labels: { queue: { top: 10 }, kind: { top: 10 } }, merge: 'sum', series: 10 },
  ),
  kafkaConnected: gauge(
    'jobwarden_kafka_connected',
    '1 while this process reads from Kafka, 0 while it cannot. Absent where it has nothing to read.',
    'boolean',
    { labels: {}, merge: 'max' },
  ),
  kafkaRebalances: counter(
    'jobwarden_kafka_rebalances_total',
    'Times that partitions were handed out anew to this process.',
    'rebalances',
    {},
  ),
  kafkaPauses: counter(
    'jobwarden_kafka_pauses_total',
    'Times that a partition was left unread for a while, and kept, since its batch could not be stored.',
    'pauses',
    {},
  ),
  kafkaStalls: counter(
    'jobwarden_kafka_stalls_total',
    'Times that reading stood still and the consumer was begun anew.',
    'stalls',
    {},
  ),
  kafkaTicksFailed: counter(
    'jobwarden_kafka_ticks_failed_total',
    'Ticks that could not be written into a quiet partition.',
    'ticks',
    {},
  ),
} as const;
