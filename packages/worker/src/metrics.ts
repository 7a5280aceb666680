import { Counter, register as globalRegister, type Registry } from 'prom-client';
import type { Metrics } from './hooks.js';

export interface WorkerMetricsOptions {
  /** Default: prom-client's own. */
  readonly register?: Registry;
  /** Beyond so many queues the rest is counted as `other`. Default 1,000. */
  readonly maxQueues?: number;
}

/**
 * Counts what this process has ended, by the names that Jobwarden exports too: `worker_jobs_processed_total{queue,status}`
 * and `worker_jobs_failed_total{queue}`. **One exporter only**: where Jobwarden's `/metrics` is scraped, a sum over both
 * counts everything twice. Jobwarden also counts what no worker can: leases that were lost.
 *
 * Calling it again for the same registry counts into the same series.
 */
export function workerMetrics({ register = globalRegister, maxQueues = 1_000 }: WorkerMetricsOptions = {}): Metrics {
  const processed = counter(register, 'worker_jobs_processed_total', 'Attempts that ended, by how.', ['queue', 'status']);
  const failed = counter(register, 'worker_jobs_failed_total', 'Attempts that failed.', ['queue']);
  const queues = new Set<string>();
  return {
    ended(queue, status) {
      if (queues.size < maxQueues) queues.add(queue);
      const shown = queues.has(queue) ? queue : 'other';
      processed.inc({ queue: shown, status });
      if (status === 'failed') failed.inc({ queue: shown });
    },
  };
}

function counter<L extends string>(register: Registry, name: string, help: string, labelNames: readonly L[]): Counter<L> {
  const known = register.getSingleMetric(name);
  return known instanceof Counter ? known : new Counter({ name, help, labelNames: [...labelNames], registers: [register] });
}
