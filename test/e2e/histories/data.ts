import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CloudEvent } from './api.js';

const folder = join(import.meta.dirname, '../../../../shared/data');

/** The histories lie beside the checkout, not in it. */
export const historiesAreThere = existsSync(join(folder, 'alibaba-gpu-2023-pods.csv'));

/** The whole, or a part of it: about a thirtieth over HTTP, less where each step takes longer. */
export const whole = process.env['JOBWARDEN_TEST_HISTORIES'] === 'whole';

export interface Step {
  readonly ms: number;
  readonly event: CloudEvent;
}

export interface Pod {
  readonly name: string;
  readonly queue: string;
  readonly phase: 'Running' | 'Failed' | 'Pending' | 'Succeeded';
  readonly createdMs: number;
  readonly startedMs: number;
  readonly endedMs: number;
}

export function pods(oneIn: number): readonly Pod[] {
  return rows('alibaba-gpu-2023-pods.csv')
    .filter((_, i) => whole || i % oneIn === 0)
    .map((r) => ({
      name: r['name'] ?? '',
      queue: r['qos'] ?? '',
      phase: r['phase'] as Pod['phase'],
      createdMs: Number(r['creation_time_s']) * 1_000,
      startedMs: Number(r['scheduled_time_s']) * 1_000,
      endedMs: Number(r['deletion_time_s']) * 1_000,
    }));
}

export interface ClusterJob {
  readonly id: string;
  readonly queue: string;
  readonly queuedMs: number;
  readonly startedMs: number;
  readonly endedMs: number;
}

/** The time in a queue's name, ms; those without one have no hard timeout. */
export const CLUSTER_LIMITS: Readonly<Record<string, number>> = {
  q_2h: 2 * 3_600_000,
  q_4h: 4 * 3_600_000,
  q_1d: 86_400_000,
  q_2d: 2 * 86_400_000,
  q_4d: 4 * 86_400_000,
  q_1w: 7 * 86_400_000,
  q_2w: 14 * 86_400_000,
};

export function overran(job: ClusterJob): boolean {
  const limit = CLUSTER_LIMITS[job.queue];
  return limit !== undefined && job.endedMs - job.startedMs > limit * 1.05;
}

export function endsBeforeItStarts(job: ClusterJob): boolean {
  return job.endedMs < job.startedMs;
}

/** A part keeps every row that something is to be seen of. */
export function clusterJobs(oneIn: number): readonly ClusterJob[] {
  return rows('metacentrum-wagap-2013-jobs.csv')
    .map((r) => {
      const queuedMs = Number(r['submit_unix_s']) * 1_000;
      const startedMs = queuedMs + Number(r['wait_s']) * 1_000;
      const endedMs = startedMs + Number(r['run_s']) * 1_000;
      return { id: r['job'] ?? '', queue: r['queue'] === '' ? 'q_none' : (r['queue'] ?? ''), queuedMs, startedMs, endedMs };
    })
    .filter((job, i) => whole || i % oneIn === 0 || overran(job) || endsBeforeItStarts(job));
}

export function event(
  type: string,
  job: { id: string; queue: string },
  ms: number,
  data: { readonly attempt?: number } & Readonly<Record<string, unknown>> = {},
): CloudEvent {
  return {
    specversion: '1.0',
    id: `${type}/${String(data.attempt ?? 0)}`,
    source: 'history',
    subject: job.id,
    type: `jobwarden.job.${type}.v1`,
    time: new Date(ms).toISOString(),
    data: { queue: job.queue, ...data },
  };
}

/** In order of their own times; what has the same time keeps its order. */
export function inOrder(steps: readonly Step[]): readonly Step[] {
  return [...steps].sort((a, b) => a.ms - b.ms);
}

function rows(file: string): Record<string, string>[] {
  const [head = '', ...lines] = readFileSync(join(folder, file), 'utf8').trim().split('\n');
  const names = head.trim().split(',');
  return lines.map((line) => {
    const cells = line.trim().split(',');
    return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']));
  });
}
