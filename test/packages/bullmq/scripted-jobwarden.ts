import type { ClaimResult, Client, CloudEvent, EnqueueCommandData, EventResult, StreamItem } from '@jobwarden/client';

export interface Told {
  readonly type: string;
  readonly subject: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Says what the test wants it to say, and remembers what it is told. For what concerns the queue's own store alone. */
export class ScriptedJobwarden {
  readonly told: Told[] = [];
  readonly claims: { readonly id: string; readonly token?: number }[] = [];
  /** What `GET /v1/policies` answers of every queue. */
  policy: Readonly<Record<string, string>> = { owner: 'queue', 'actions.requeue': 'act' };
  /** Releases that are out of service in every queue. */
  refusedRevisions: readonly string[] = [];
  /** What is let through of every queue; null: nobody has ever said. */
  gate: { readonly gate: 'open' | 'paused' | 'throttled'; readonly perSecond?: number } | null = null;
  /** What a job's status is said to be. */
  status = 'requeued';
  /** Which attempt of a job is said to be the current one. */
  attempt = 2;
  /** What the next claims are refused with. */
  readonly refusals: Extract<ClaimResult, { kind: 'refused' }>[] = [];
  private readonly listeners = new Set<(item: StreamItem) => void>();
  private sent = 0;

  /** How many read the commands now. */
  get readers(): number {
    return this.listeners.size;
  }

  get client(): Client {
    const refuse = () => Promise.reject(new Error('not scripted'));
    return {
      namespace: 'default',
      sendText: (batch: string) => Promise.resolve(this.take(JSON.parse(batch) as Told[])),
      send: (events: readonly CloudEvent<object>[]) => Promise.resolve(this.take(events as unknown as Told[])),
      claim: (job, { token, worker: { revision = '' } }) => {
        if (this.refusedRevisions.includes(revision)) return Promise.resolve({ kind: 'refused', code: 'revision_quarantined', status: 409, retryAfterMs: 5_000 });
        this.claims.push({ id: job.id, ...(token !== undefined && { token }) });
        const refusal = this.refusals.shift();
        return Promise.resolve(refusal ?? { kind: 'granted', attempt: token === undefined ? 1 : this.attempt, token: token ?? 1, leaseMs: 30_000 });
      },
      queue: (queue) => Promise.resolve({ queue, refusedRevisions: this.refusedRevisions, ...(this.gate !== null && { gate: this.gate }) } as never),
      job: ({ queue, id }) => Promise.resolve({ queue, id, status: this.status, attempt: this.attempt, decisions: [] } as never),
      jobs: () => Promise.resolve({ items: [], next: null }),
      stream: (_name, { signal }) => this.stream(signal),
      address: (path) => ({ url: `http://127.0.0.1:1${path}`, headers: {} }),
      call: (_method, path) => {
        if (!path.startsWith('/v1/policies')) return refuse();
        const queue = new URLSearchParams(path.split('?')[1]).get('queue');
        const values = Object.fromEntries(Object.entries(this.policy).map(([name, value]) => [name, { value }]));
        return Promise.resolve({ items: [{ namespace: 'default', queue, kind: null, values }], next: null });
      },
    };
  }

  /** The same data again is a copy. */
  enqueue(subject: string, data: Partial<EnqueueCommandData> & { readonly queue: string }): void {
    this.command('enqueue', subject, { n: 1, attempt: 2, token: 2, reason: 'lost', payload: { from: 'jobwarden' }, ...data });
  }

  stop(subject: string, data: { readonly queue: string; readonly attempt: number; readonly token: number }): void {
    this.command('stop', subject, { n: 1, reason: 'cancelled', ...data });
  }

  private command(kind: string, subject: string, data: object): void {
    this.sent += 1;
    const type = `jobwarden.command.${kind}.v1`;
    const event = { specversion: '1.0', id: String(this.sent), source: 'jobwarden', subject, type, data } as CloudEvent;
    for (const listener of this.listeners) listener({ kind: 'event', id: String(this.sent), type, event });
  }

  private take(events: readonly Told[]): readonly EventResult[] {
    this.told.push(...events);
    return events.map((_, index) => ({ index, id: null, outcome: 'appended', state: 'go-on' }));
  }

  private async *stream(signal: AbortSignal): AsyncGenerator<StreamItem, void, void> {
    const waiting: StreamItem[] = [];
    let wake = (): void => undefined;
    const listener = (item: StreamItem): void => {
      waiting.push(item);
      wake();
    };
    this.listeners.add(listener);
    signal.addEventListener('abort', () => wake(), { once: true });
    try {
      while (!signal.aborted) {
        for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) yield item;
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (waiting.length > 0 || signal.aborted) resolve();
        });
      }
    } finally {
      this.listeners.delete(listener);
    }
  }
}
