import { setTimeout as delay } from 'node:timers/promises';
import type { SentEvent } from './emitter.js';
import type { Message } from './subscriber.js';

export const POLICY = `
defaults:
  lease: 2s
  grace: 500ms
  backoff: {initial: 200ms, factor: 2, max: 1s, jitter: 0.5}
  maxRetries: 3
  # Half of all attempts fall silent here, and many of what was requeued fails again: no reason to hold anything.
  blackout: {share: 1}
  probing: {share: 1}
  budget: {perSecond: 1000, burst: 1000}
queues:
  acted: {actions: act, idempotent: true}
  watched: {actions: observe}
`;

/** What a job's attempt does, drawn by the job's number and attempt: the same whenever it is asked. */
type Fate = 'succeeds' | 'fails' | 'falls-silent';

function fateOf(job: number, attempt: number): Fate {
  const draw = (job * 7 + attempt * 5) % 10;
  return draw < 3 ? 'succeeds' : draw < 5 ? 'fails' : 'falls-silent';
}

/** Sends events until they are acknowledged. */
export interface Sends {
  nextId(): string;
  send(events: readonly SentEvent[]): Promise<boolean>;
}

/**
 * A load under which jobs fall due all the time: attempts that fall silent, fail or succeed, on a queue that is acted on
 * and on one that is only watched. Each enqueue command is taken up as a new attempt.
 */
export class Load {
  jobs = 0;
  silences = 0;
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly emitter: Sends,
    private readonly stopped: AbortSignal,
    private readonly perSecond: number,
  ) {}

  async run(): Promise<void> {
    while (!this.stopped.aborted) {
      const job = (this.jobs += 1);
      const queue = job % 10 === 0 ? 'watched' : 'acted';
      this.spawn(async () => {
        const keys = job % 2 === 0 ? { invalidates: { keys: [`job:${String(job)}`], tags: [] } } : {};
        await this.emit(job, 'queued', { queue, ...keys });
        await this.attempt(job, queue, 1);
      });
      await delay(1_000 / this.perSecond);
    }
  }

  /** A worker takes an enqueue command. */
  take(message: Message): void {
    if (message.type !== 'jobwarden.command.enqueue.v1') return;
    const { queue, attempt } = message.data;
    this.spawn(async () => {
      await this.attempt(Number(message.subject.slice(4)), queue, attempt);
    });
  }

  /** What was begun is sent to its end. */
  async settled(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private async attempt(job: number, queue: string, attempt: number): Promise<void> {
    const worker = { id: `w${String(job % 50)}` };
    await this.emit(job, 'started', { queue, attempt, worker, leaseMs: 2_000 });
    const fate = fateOf(job, attempt);
    if (fate === 'falls-silent') {
      this.silences += 1;
      return;
    }
    if (fate === 'succeeds') await this.emit(job, 'succeeded', { queue, attempt, worker });
    else await this.emit(job, 'failed', { queue, attempt, worker, error: { class: 'Chaos', message: 'as drawn' } });
  }

  private async emit(job: number, type: string, data: SentEvent['data']): Promise<void> {
    const id = this.emitter.nextId();
    await this.emitter.send([{ id, subject: `job-${String(job)}`, type: `jobwarden.job.${type}.v1`, data }]);
  }

  private spawn(work: () => Promise<void>): void {
    const task: Promise<void> = work().finally(() => this.running.delete(task));
    this.running.add(task);
  }
}
