import { setTimeout as delay } from 'node:timers/promises';
import type { SentEvent } from '../../chaos/emitter.js';
import type { Way } from './ways.js';

export interface CrewOptions {
  readonly worker: string;
  readonly queue: string;
  readonly jobs: number;
  /** What its jobs' ids begin with: `live-` of those that beat to the end. */
  readonly prefix?: string;
  readonly leaseMs: number;
  readonly beatEveryMs: number;
  /** What its events' `time` is off by, ms; absent: they bear none. */
  readonly clockShiftMs?: number;
}

/** One worker with its jobs, all of which live as long as it does. Its first job beats by itself, the others with it. */
export class Crew {
  /** Rounds of beats that were acknowledged. */
  rounds = 0;
  /** The longest from one beat to the next, but for those that waited for their acknowledgement, ms. */
  latestMs = 0;
  /** The broker's append time of the last acknowledged beat, ms; 0 where there is no broker. */
  lastBeatMs = 0;
  private count = 0;
  private readonly ending = new AbortController();
  private readonly stopped = (): boolean => this.ending.signal.aborted;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: CrewOptions,
    private readonly way: Way,
  ) {}

  get jobs(): readonly string[] {
    const { prefix = 'live-', worker, jobs } = this.options;
    return Array.from({ length: jobs }, (_, i) => `${prefix}${worker}-${String(i)}`);
  }

  /** Resolves when its jobs have started; from then on it beats. */
  async start(): Promise<void> {
    await this.begin(this.jobs, this.options.worker);
    this.running = this.beat();
  }

  /** Jobs that start, and of whose worker nothing more is ever heard. */
  async startSilent(subjects: readonly string[]): Promise<void> {
    await this.begin(subjects, `${this.options.worker}-silent`);
  }

  /** From one moment to the next nothing more comes of it. Resolves when what was under way has been acknowledged. */
  async die(): Promise<void> {
    this.ending.abort();
    await this.running;
  }

  /** Its jobs succeed, and it goes. */
  async finish(): Promise<void> {
    await this.die();
    const { queue, worker: id } = this.options;
    await this.way.send(
      this.jobs.map((subject) => this.event('job.succeeded', subject, { queue, attempt: 1, worker: { id } })),
      () => false,
    );
  }

  private async begin(subjects: readonly string[], worker: string): Promise<void> {
    const { queue, leaseMs } = this.options;
    const events = subjects.flatMap((subject) => [
      this.event('job.queued', subject, { queue }),
      this.event('job.started', subject, { queue, attempt: 1, worker: { id: worker }, leaseMs }),
    ]);
    this.lastBeatMs = (await this.way.send(events, this.stopped)) ?? 0;
  }

  private async beat(): Promise<void> {
    const { beatEveryMs } = this.options;
    let next = performance.now();
    while (!this.stopped()) {
      this.latestMs = Math.max(this.latestMs, performance.now() - next);
      this.lastBeatMs = (await this.way.send(this.beats(), this.stopped)) ?? this.lastBeatMs;
      this.rounds += 1;
      next = Math.max(next + beatEveryMs, performance.now());
      await delay(Math.max(0, next - performance.now()), undefined, { signal: this.ending.signal }).catch(() => undefined);
    }
  }

  private beats(): SentEvent[] {
    const { queue, worker: id } = this.options;
    const [alone, ...together] = this.jobs;
    const worker = { id };
    const jobs = together.map((job) => ({ queue, id: job, attempt: 1 }));
    return [
      ...(jobs.length === 0 ? [] : [this.event('worker.heartbeat', id, { queue: '', worker, jobs })]),
      ...(alone === undefined ? [] : [this.event('job.heartbeat', alone, { queue, attempt: 1, worker })]),
    ];
  }

  private event(type: string, subject: string, data: SentEvent['data']): SentEvent & { readonly time?: string } {
    const { worker, clockShiftMs } = this.options;
    const id = `${worker}-${String((this.count += 1))}`;
    const time = clockShiftMs === undefined ? {} : { time: new Date(Date.now() + clockShiftMs).toISOString() };
    return { id, subject, type: `jobwarden.${type}.v1`, data, ...time };
  }
}
