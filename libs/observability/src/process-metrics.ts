import { gauge, histogram } from './metric-spec.js';

/** Below the step of the clock that it is measured by nothing is seen; above a second nothing is answered in time. */
const DELAY_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10] as const;

/** Of this process, beside what prom-client tells of any. */
export const PROCESS = {
  loopDelay: histogram(
    'jobwarden_event_loop_delay_seconds',
    'How much too late a timer of this process ran that is due ten times a second.',
    'seconds',
    { labels: {}, buckets: DELAY_SECONDS },
  ),
  heapLimit: gauge('jobwarden_heap_limit_bytes', 'Heap at which this process ends; `nodejs_heap_size_used_bytes` is what is in use.', 'bytes', {
    labels: {},
    merge: 'max',
  }),
} as const;
