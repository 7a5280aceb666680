import { randomNumbers } from './statistics.js';

/** A CloudEvent as it is sent. */
export type SentEvent = Readonly<Record<string, unknown>>;

export interface JobLoadOptions {
  /** Loads of two seeds share no job. */
  readonly seed: number;
  /** Jobs under way at once: the events of a job lie about that many events apart. */
  readonly underWay: number;
}

const QUEUES = ['mail', 'invoices', 'thumbnails', 'exports'] as const;
const KINDS = ['welcome', 'monthly', 'small', 'large'] as const;
const WORKERS = 50;
const EVENTS_PER_JOB = 3;
const BEGUN_MS = Date.UTC(2026, 0, 5);

/**
 * Events of jobs that are queued, started and succeed, in the order in which a busy system would tell of them: each one
 * is the next event of a random job under way. Endless, and the same for a seed.
 */
export class JobLoad {
  private readonly random: () => number;
  private readonly underWay: { readonly n: number; step: number }[];
  private jobs = 0;
  private events = 0;

  constructor(private readonly options: JobLoadOptions) {
    this.random = randomNumbers(options.seed);
    this.underWay = Array.from({ length: options.underWay }, () => ({ n: this.nextJob(), step: 0 }));
  }

  take(count: number): SentEvent[] {
    return Array.from({ length: count }, () => this.next());
  }

  private next(): SentEvent {
    const at = Math.floor(this.random() * this.underWay.length);
    const job = this.underWay[at] ?? { n: this.nextJob(), step: 0 };
    const event = this.event(job.n, job.step);
    job.step += 1;
    if (job.step === EVENTS_PER_JOB) this.underWay[at] = { n: this.nextJob(), step: 0 };
    return event;
  }

  private nextJob(): number {
    return (this.jobs += 1);
  }

  private event(n: number, step: number): SentEvent {
    const seed = String(this.options.seed);
    this.events += 1;
    const base = {
      specversion: '1.0',
      id: `${seed}-${String(n)}-${String(step)}-4f1c-9a7e`,
      source: `/shop/${step === 0 ? 'checkout' : 'workers'}`,
      subject: `order-${seed}-${String(n)}`,
      time: new Date(BEGUN_MS + this.events).toISOString(),
      datacontenttype: 'application/json',
    };
    const queue = QUEUES[n % QUEUES.length];
    const worker = { id: `worker-${String((n * 7) % WORKERS)}`, incarnation: 'a1b2c3', revision: '2026.1.4' };
    switch (step) {
      case 0:
        return { ...base, type: 'jobwarden.job.queued.v1', data: { queue, kind: KINDS[n % KINDS.length], maxRetries: 3 } };
      case 1:
        return { ...base, type: 'jobwarden.job.started.v1', data: { queue, attempt: 1, worker } };
      default:
        return {
          ...base,
          type: 'jobwarden.job.succeeded.v1',
          data: { queue, attempt: 1, worker, durationMs: 200 + Math.floor(this.random() * 30_000) },
        };
    }
  }
}
