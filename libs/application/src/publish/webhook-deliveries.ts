import type { PublishObserver } from '../ports/publish-observer.port.js';
import type {
  ClaimedDelivery,
  DeliveryStore,
  WebhookDirectory,
  WebhookEndpoint,
  WebhookSender,
} from '../ports/webhooks.port.js';
import { WEBHOOK_RETRIES, retryInMs, type RetrySchedule } from './backoff.js';
import { messageId } from './message-id.js';
import { isCurrent, skipReason } from './truth.js';
import { pause, type WakeSignal } from './wake-signal.js';

export interface WebhookDeliveriesParts {
  readonly store: DeliveryStore;
  readonly sender: WebhookSender;
  readonly webhooks: WebhookDirectory;
  readonly observer: PublishObserver;
  /** Of the publisher: messages have gone out. */
  readonly published: WakeSignal;
}

export interface WebhookDeliveriesOptions {
  /** `off` (JOBWARDEN_ACTIONS): this replica delivers nothing. Default `on`. */
  readonly actions?: 'on' | 'off';
  readonly retries?: RetrySchedule;
  /** Deliveries at once on one webhook. Default 8. */
  readonly concurrency?: number;
  /** How long a delivery stays with a replica that died, ms; more than twice the sender's timeout. Default 30,000. */
  readonly claimMs?: number;
  /** Looks for due deliveries at last this often, ms. Default 500. */
  readonly idleMs?: number;
  /** In [0, 1). Default Math.random. */
  readonly random?: () => number;
  /** Tells time within this process, ms: how long a claim took to be answered. Default performance.now. */
  readonly monotonicMs?: () => number;
}

/** Whether a command is true is as it was when it was claimed: after longer it is looked at anew, before it is sent. Reports stay true. */
const TRUE_FOR_MS = 5_000;

/**
 * Delivers messages to webhooks; any replica does, each webhook in a loop of its own, so that a slow receiver delays
 * only itself.
 *
 *   waiting ── claim ──► sent ── 2xx ──► gone
 *      ▲                  │ ├── else ──► waiting (backoff) … ten tries ──► parked ── retry by hand ──► waiting
 *      └── claim passes ──┘ └── no longer true ──► gone, told as skipped
 *
 * In order per job and webhook: nothing is sent while something older of its job is there, parked or not; a parked one
 * blocks only its job, only on its webhook. Clocks: the database's. At least once: a receiver drops repeats by
 * `webhook-id`. Not guaranteed: that a command is still true when the receiver acts on it; truth is checked just before
 * the sending, also by a replica that was halted with what it had claimed, and the token answers the rest.
 */
export class WebhookDeliveries {
  private readonly options: Required<WebhookDeliveriesOptions>;
  private readonly running = new AbortController();
  private readonly loops = new Map<string, Promise<void>>();
  private watch: Promise<void> | null = null;

  constructor(
    private readonly parts: WebhookDeliveriesParts,
    options: WebhookDeliveriesOptions = {},
  ) {
    this.options = {
      actions: 'on',
      retries: WEBHOOK_RETRIES,
      concurrency: 8,
      claimMs: 30_000,
      idleMs: 500,
      random: Math.random,
      monotonicMs: () => performance.now(),
      ...options,
    };
  }

  start(): void {
    if (this.options.actions === 'on') this.watch ??= this.keepLoops();
  }

  /** Ends at once: requests in flight are given up, and tried again by whoever comes next. */
  async stop(): Promise<void> {
    this.running.abort();
    await this.watch;
    await Promise.all(this.loops.values());
  }

  /** One look at one webhook; answers how many deliveries were due. */
  async round(webhook: WebhookEndpoint): Promise<number> {
    const { concurrency, claimMs, monotonicMs } = this.options;
    const askedMs = monotonicMs();
    const due = await this.parts.store.claim(webhook.name, concurrency, claimMs);
    const tookMs = monotonicMs() - askedMs;
    // Others may have it before the receiver has answered: a page that comes again behind its all-clear would stand for good.
    const isLate = tookMs > claimMs / 2;
    const isOld = (delivery: ClaimedDelivery): boolean => isLate || (tookMs > TRUE_FOR_MS && mayChange(delivery));
    await Promise.all(due.map((delivery) => this.guarded(() => (isOld(delivery) ? this.giveBack(delivery) : this.deliver(webhook, delivery)))));
    return due.length;
  }

  /** This replica was halted, or the database was slow: the jobs may have gone on. Whose it is by now is left to him. */
  private async giveBack(delivery: ClaimedDelivery): Promise<void> {
    await this.parts.store.postpone(delivery, { inMs: 0, detail: null, counted: false });
  }

  private async deliver(webhook: WebhookEndpoint, delivery: ClaimedDelivery): Promise<void> {
    const { store, sender, observer } = this.parts;
    const stale = staleness(delivery);
    if (stale !== null) {
      if (await store.finish(delivery)) observer.skipped?.(delivery.kind, stale);
      return;
    }
    const { shard, number, kind, laneMs, message } = delivery;
    const id = messageId(kind, { position: { shard, number }, laneMs });
    const { format, url, secret } = webhook;
    const answer = await sender.send({ format, url, secret, id, body: message }, this.running.signal);
    if (answer === 'interrupted') {
      await store.postpone(delivery, { inMs: 0, detail: null, counted: false });
      return;
    }
    observer.delivered?.(webhook.name, answer.ok);
    if (answer.ok) await store.finish(delivery);
    else await this.failed(webhook, delivery, answer.detail);
  }

  private async failed({ name }: WebhookEndpoint, delivery: ClaimedDelivery, detail: string): Promise<void> {
    const { retries, random } = this.options;
    if (delivery.tries < retries.tries) {
      const inMs = retryInMs(retries, delivery.tries, random());
      await this.parts.store.postpone(delivery, { inMs, detail, counted: true });
      this.parts.observer.refused?.(name, detail, { inMs, tries: delivery.tries });
      return;
    }
    await this.parts.store.park(delivery, detail);
    this.parts.observer.parked?.(delivery.kind, detail);
  }

  /** Webhooks come and go with the policy file. */
  private async keepLoops(): Promise<void> {
    while (!this.running.signal.aborted) {
      for (const { name } of this.parts.webhooks.list()) {
        if (!this.loops.has(name)) this.loops.set(name, this.keepDelivering(name));
      }
      await pause(this.options.idleMs, this.running.signal);
    }
  }

  private async keepDelivering(name: string): Promise<void> {
    const { published, webhooks } = this.parts;
    while (!this.running.signal.aborted) {
      const webhook = webhooks.list().find((w) => w.name === name);
      if (webhook === undefined) break;
      const seen = published.version;
      const found = await this.guarded(() => this.round(webhook));
      if (found === null || found === 0) await published.wait(seen, this.options.idleMs, this.running.signal);
    }
    this.loops.delete(name);
  }

  /** A database that is away costs a try at most: the claim passes, and the message comes again with the same id. */
  private async guarded<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      this.parts.observer.failed?.('webhook', error);
      return null;
    }
  }
}

/** Why it is no longer true; null = it is. Reports are sent although the job has gone on: they say what happened. */
function staleness({ kind, message, job }: ClaimedDelivery): string | null {
  if (!mayChange({ kind })) return null;
  const { attempt } = (JSON.parse(message) as { data: { attempt: number } }).data;
  if (job === null) return skipReason(attempt, null);
  return isCurrent(kind, attempt, job) ? null : skipReason(attempt, job);
}

function mayChange({ kind }: Pick<ClaimedDelivery, 'kind'>): boolean {
  return kind !== 'dead-letter' && kind !== 'incident';
}
