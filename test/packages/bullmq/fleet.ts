import { join } from 'node:path';
import type { WorkerOptions } from 'bullmq';
import { startProcess, type TestProcess } from '#libs/testing';

export interface FleetWorker {
  readonly queue: string;
  readonly id: string;
  /** Of the Redis. */
  readonly port: number;
  /** Of the service. Left out: the worker is BullMQ's alone. */
  readonly url?: string;
  readonly owner?: 'queue' | 'jobwarden';
  readonly leaseMs?: number;
  readonly claims?: boolean;
  readonly concurrency?: number;
  readonly options?: Partial<WorkerOptions>;
}

/** Starts a worker process; see processes/worker.mjs. */
export async function startWorkerProcess({ url, ...settings }: FleetWorker): Promise<TestProcess> {
  const worker = startProcess({
    entry: join(root, 'test/packages/bullmq/processes/worker.mjs'),
    env: { SETTINGS: JSON.stringify({ ...settings, plain: url === undefined }), ...(url !== undefined && { JOBWARDEN_URL: url }) },
  });
  await worker.waitForOutput(/ready/u);
  return worker;
}

const root = join(import.meta.dirname, '../../..').replace(/[\\/]dist$/u, '');
