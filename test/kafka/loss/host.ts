import { setTimeout as delay } from 'node:timers/promises';
import type { SentEvent } from '../../chaos/emitter.js';
import { FirmProducer } from './firm-producer.js';

export const LEASE_MS = 4_000;
const BEAT_EVERY_MS = 700;
/** Of a host's jobs these beat one by one, the others in one beat of the worker. */
const BEATING_ALONE = 12;

export interface HostOptions {
  readonly brokers: string;
  readonly topic: string;
  readonly worker: string;
  readonly jobs: number;
}

export const PARTITIONS = 3;

/** Every fifth job is on the queue that is only watched. */
export const queueOf = (index: number): string => (index % 5 === 0 ? 'watched' : 'acted');

/**
 * A machine with one worker and many jobs, all of which live as long as it does.
 */
export class Host {
  /** Events that have to be in the log, by id, as the broker has acknowledged them. */
  readonly acknowledged = new Map<string, SentEvent>();
  /** Beats of all its jobs that the broker has acknowledged. */
  rounds = 0;
  private count = 0;
  private trickle = 0;
  private waiting: { readonly events: readonly SentEvent[]; readonly done: () => void }[] = [];
  private readonly producer: FirmProducer;
  private stopped = false;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly options: HostOptions) {
    this.producer = new FirmProducer({ ...options, partitions: PARTITIONS });
  }

  start(): void {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
    await this.producer.close();
  }

  /** Jobs that start here, and of which nothing more is ever heard. Resolves when the broker has them. */
  async startSilent(subjects: readonly string[]): Promise<void> {
    const worker = `${this.options.worker}-silent`;
    const events = subjects.flatMap((subject, i) => this.begin(subject, i === 0 ? 'watched' : 'acted', worker));
    await new Promise<void>((done) => this.waiting.push({ events, done }));
  }

  private async run(): Promise<void> {
    const living = Array.from({ length: this.options.jobs }, (_, i) => ({ subject: `live-${this.options.worker}-${String(i)}`, queue: queueOf(i) }));
    await this.send(living.flatMap(({ subject, queue }) => this.begin(subject, queue, this.options.worker)), []);
    while (!this.stopped) {
      const orders = this.waiting.splice(0);
      await this.send([...orders.flatMap(({ events }) => events), ...this.short()], this.beats(living));
      this.rounds += 1;
      for (const { done } of orders) done();
      await delay(BEAT_EVERY_MS);
    }
  }

  private begin(subject: string, queue: string, worker: string): SentEvent[] {
    const invalidates = { keys: [`job:${subject}`], tags: [] };
    return [
      this.event('queued', subject, { queue, invalidates }),
      this.event('started', subject, { queue, attempt: 1, worker: { id: worker }, leaseMs: LEASE_MS }),
    ];
  }

  /** One that begins and ends at once. */
  private short(): SentEvent[] {
    const subject = `short-${this.options.worker}-${String((this.trickle += 1))}`;
    const data = { queue: 'acted', attempt: 1, worker: { id: this.options.worker } };
    return [...this.begin(subject, 'acted', this.options.worker), this.event('succeeded', subject, data)];
  }

  private beats(living: readonly { readonly subject: string; readonly queue: string }[]): SentEvent[] {
    const worker = { id: this.options.worker };
    const jobs = living.slice(BEATING_ALONE).map(({ subject, queue }) => ({ queue, id: subject, attempt: 1 }));
    const alone = living.slice(0, BEATING_ALONE).map(({ subject, queue }) => this.event('heartbeat', subject, { queue, attempt: 1, worker }));
    if (jobs.length === 0) return alone;
    return [...alone, { id: this.nextId(), subject: worker.id, type: 'jobwarden.worker.heartbeat.v1', data: { queue: '', worker, jobs } }];
  }

  private event(type: string, subject: string, data: SentEvent['data']): SentEvent {
    return { id: this.nextId(), subject, type: `jobwarden.job.${type}.v1`, data };
  }

  private nextId(): string {
    return `${this.options.worker}-${String((this.count += 1))}`;
  }

  private async send(facts: readonly SentEvent[], beats: readonly SentEvent[]): Promise<void> {
    const written = await this.producer.send([...facts, ...beats], () => this.stopped);
    if (written !== null) for (const event of facts) this.acknowledged.set(event.id, event);
  }
}
