import type { Run, Job } from '../fleet/run.js';
import type { Worker } from '../fleet/worker.js';
import type { JobError, LogEntry } from './entry.js';
import { textOf } from './instant.js';

/** 2³²: a token is the epoch times this, and the attempt. */
const EPOCH = 4_294_967_296;
const tokenOf = (attempt: number): number => EPOCH + attempt;

/**
 * Writes down what happens as the events that the contract has for it. Facts carry their emitter's clock and come with its
 * delay; decisions are Jobwarden's own, made at once. Nothing here knows what is wrong with the fleet.
 */
export class Scribe {
  private readonly entries: LogEntry[] = [];
  private nextId = 0;

  constructor(private readonly now: () => number) {}

  /** In the order of the log. */
  log(): readonly LogEntry[] {
    return this.entries.toSorted((a, b) => a.laneMs - b.laneMs);
  }

  queued(job: Job): void {
    const { queue, kind } = job;
    this.fact('queued', job.id, { queue, kind, ...(job.ownRetries !== null && { maxRetries: job.ownRetries }) }, null);
  }

  begun({ job, attempt, worker }: Run, claimed: boolean): void {
    const type = claimed ? 'claimed' : 'started';
    this.fact(type, job.id, { ...ofAttempt(job, attempt, worker), leaseMs: worker.leaseMs }, worker);
  }

  succeeded({ job, attempt, worker, begunMs }: Run): void {
    this.fact('succeeded', job.id, { ...ofAttempt(job, attempt, worker), durationMs: this.now() - begunMs }, worker);
  }

  failed({ job, attempt, worker, begunMs }: Run, error: JobError): void {
    const durationMs = this.now() - begunMs;
    this.fact('failed', job.id, { ...ofAttempt(job, attempt, worker), durationMs, error, retryable: true }, worker);
  }

  heartbeat(worker: Worker, runs: readonly Run[], runtime: Readonly<Record<string, unknown>> | null): void {
    const jobs = runs.map(({ job, attempt }) => ({ queue: job.queue, id: job.id, attempt, token: tokenOf(attempt) }));
    const data = { worker: worker.told, jobs, ...(runtime !== null && { runtime }) };
    this.add('jobwarden.worker.heartbeat.v1', worker.told.id, data, worker);
  }

  /** What the native queue says of itself. */
  queueState(queue: string, waiting: number): void {
    this.add('jobwarden.queue.state.v1', queue, { waiting, paused: false }, null);
  }

  /** A decision of Jobwarden's about the job. */
  decided(type: string, job: Job, told: { attempt: number; reason: string } & Readonly<Record<string, unknown>>): void {
    job.decisions += 1;
    this.entries.push({
      cloudEvent: {
        specversion: '1.0',
        id: `decision/${String(job.decisions)}`,
        source: 'jobwarden',
        subject: job.id,
        type: `jobwarden.job.${type}.v1`,
        time: textOf(this.now()),
        data: { queue: job.queue, n: job.decisions, token: tokenOf(told.attempt), by: 'jobwarden', ...told },
      },
      laneMs: this.now(),
    });
  }

  /** The late write of an attempt that another one has overtaken, kept under its own source and id. */
  refused({ job, attempt, worker, begunMs }: Run, type: 'succeeded' | 'failed'): void {
    job.decisions += 1;
    const id = this.id(type);
    const source = `/workers/${worker.told.id}`;
    const durationMs = this.now() - begunMs;
    const fact = { type, source, id, laneMs: this.now(), attempt, token: tokenOf(attempt), worker: worker.told, durationMs };
    this.entries.push({
      cloudEvent: {
        specversion: '1.0',
        id,
        source,
        subject: job.id,
        type: 'jobwarden.job.write-refused.v1',
        time: textOf(this.now() + worker.skewMs),
        data: { queue: job.queue, n: job.decisions, attempt, reason: 'superseded', by: 'jobwarden', evidence: { fact } },
      },
      laneMs: this.now(),
    });
  }

  private fact(kind: string, subject: string, data: Readonly<Record<string, unknown>>, worker: Worker | null): void {
    this.add(`jobwarden.job.${kind}.v1`, subject, data, worker);
  }

  private add(type: string, subject: string, data: Readonly<Record<string, unknown>>, worker: Worker | null): void {
    const time = textOf(this.now() + (worker?.skewMs ?? 0));
    const source = worker === null ? '/services/shop' : `/workers/${worker.told.id}`;
    const cloudEvent = { specversion: '1.0' as const, id: this.id('event'), source, subject, type, time, data };
    this.entries.push({ cloudEvent, laneMs: this.now() + (worker?.delayMs ?? 0) });
  }

  private id(of: string): string {
    this.nextId += 1;
    return `${of}-${String(this.nextId)}`;
  }
}

function ofAttempt({ queue }: Job, attempt: number, worker: Worker): Readonly<Record<string, unknown>> {
  return { queue, attempt, token: tokenOf(attempt), worker: worker.told };
}
