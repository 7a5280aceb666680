import { gauge } from './metric-spec.js';

const QUEUE = { queue: 'queue' } as const;

/** Of the users' worker processes, as their heartbeats tell: by the queue of which they hold a job, never one by one. */
export const WORKERS = {
  workerProcesses: gauge(
    'worker_processes',
    'Worker processes that told in the last minute how they stand while they held a job of the queue. One that held jobs of several queues is counted in each. Exported by one replica.',
    'processes',
    { labels: QUEUE, merge: 'sum' },
  ),
  workerHeap: gauge(
    'worker_heap_used_ratio',
    'Heap in use over its limit, of the one of these workers that is fullest. Absent where none tells. Exported by one replica.',
    'ratio',
    { labels: QUEUE, merge: 'max' },
  ),
  workerLoopLag: gauge(
    'worker_event_loop_lag_seconds',
    'Lag of the event loop, of the one of these workers that lags most. Absent where none tells. Exported by one replica.',
    'seconds',
    { labels: QUEUE, merge: 'max' },
  ),
  workerPoolInUse: gauge(
    'worker_pool_connections_in_use',
    'Connections of their own pools that these workers use, summed up. Absent where none tells. Exported by one replica.',
    'connections',
    { labels: QUEUE, merge: 'sum' },
  ),
  workerPoolWaiting: gauge(
    'worker_pool_callers_waiting',
    'Callers in these workers that wait for a connection, summed up. Absent where none tells. Exported by one replica.',
    'callers',
    { labels: QUEUE, merge: 'sum' },
  ),
} as const;
