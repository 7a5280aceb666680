/** Events of workers of which some fail, and more die without a word: what is heard of these is the end of their leases. */
export class FailingFleet {
  private count = 0;
  private timer: NodeJS.Timeout | null = null;
  private sending: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: { readonly queue: string; readonly send: (events: readonly object[]) => Promise<unknown> }) {}

  /** Jobs for which there is no worker. */
  async waiting(jobs: number): Promise<void> {
    for (let left = jobs; left > 0; left -= 1_000) {
      await this.options.send(Array.from({ length: Math.min(left, 1_000) }, () => this.event('queued', this.job(), {})));
    }
  }

  /** Ten succeed, two fail and four die, five times a second: of what is heard from workers a sixth has failed. */
  start(): void {
    this.timer = setInterval(() => {
      this.sending = this.sending.then(() => this.options.send(this.round()));
    }, 200);
  }

  async stop(): Promise<void> {
    if (this.timer !== null) clearInterval(this.timer);
    await this.sending;
  }

  private round(): readonly object[] {
    const ended = (type: string, jobs: number, more: object) =>
      Array.from({ length: jobs }, () => this.job()).flatMap((job) => [this.event('started', job, this.worker()), this.event(type, job, { ...this.worker(), ...more })]);
    const dying = Array.from({ length: 4 }, () => this.event('started', this.job(), { ...this.worker(), leaseMs: 300 }));
    return [...ended('succeeded', 10, {}), ...ended('failed', 2, { retryable: false, error: { class: 'E', message: 'no' } }), ...dying];
  }

  private job(): string {
    return `job-${String((this.count += 1))}`;
  }

  private worker(): object {
    return { worker: { id: `w${String(this.count)}` } };
  }

  private event(type: string, subject: string, data: object): object {
    this.count += 1;
    const id = String(this.count);
    return { specversion: '1.0', id, source: '/fleet', subject, type: `jobwarden.job.${type}.v1`, data: { queue: this.options.queue, ...data } };
  }
}
