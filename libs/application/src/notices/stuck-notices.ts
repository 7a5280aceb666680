import type { ClaimedNotice, NoticeStore } from '../ports/notice-store.port.js';
import type { WebhookDirectory, WebhookSender } from '../ports/webhooks.port.js';
import { WEBHOOK_RETRIES, retryInMs, type RetrySchedule } from '../publish/backoff.js';
import { stuckNotices } from './stuck-message.js';

export interface StuckNoticesParts {
  readonly store: NoticeStore;
  readonly webhooks: WebhookDirectory;
  readonly sender: WebhookSender;
  readonly failed?: (notice: ClaimedNotice, detail: string) => void;
}

export interface StuckNoticesOptions {
  /** One message per queue in this time, ms. Default 60,000. */
  readonly windowMs?: number;
  /** Jobs named in a message; the others are counted. Default 50. */
  readonly jobs?: number;
  readonly retries?: RetrySchedule;
}

/**
 * Tells a person what is stuck, with the ids that no metric may carry.
 *
 *   runs with rows ── window over ──► a notice per queue and webhook ── claim ──► sent ── 2xx ──► gone
 *                                        ▲                                         └── else ──► backoff … ten tries ──► gone, logged
 *                                        └────────────── claim passes ─────────────┘
 *
 * The window begins with the first run that nothing was told of: where nothing is stuck there is none. Any replica may
 * gather and any may send, one at a time each. At least once: a receiver drops repeats by `webhook-id`. It is a report
 * and no action, so neither levels nor the stop switch hold it back: who has switched actions off needs it most. Not
 * guaranteed: that a job is still stuck when the message arrives.
 */
export class StuckNotices {
  private readonly options: Required<StuckNoticesOptions>;

  constructor(
    private readonly parts: StuckNoticesParts,
    options: StuckNoticesOptions = {},
  ) {
    this.options = { windowMs: 60_000, jobs: 50, retries: WEBHOOK_RETRIES, ...options };
  }

  /** One look; true: there may be more to send. */
  async turn(signal: AbortSignal = new AbortController().signal): Promise<boolean> {
    const { store, webhooks } = this.parts;
    const targets = webhooks.list().filter((w) => w.events.includes('stuck'));
    await store.gather(this.options.windowMs, (rows, window) => {
      const made = stuckNotices(rows, window, this.options.jobs);
      const notices = made.flatMap(({ id, queue, message }) => targets.filter((w) => w.queues?.includes(queue) ?? true).map((w) => ({ id, webhook: w.name, message })));
      return { notices, jobs: made.flatMap(({ id, jobs }) => jobs.map((ref) => ({ ref, noticeId: id }))) };
    });
    const claimed = await store.claim(AT_ONCE, CLAIM_MS);
    await Promise.all(claimed.map((notice) => this.deliver(notice, signal)));
    return claimed.length === AT_ONCE;
  }

  private async deliver(notice: ClaimedNotice, signal: AbortSignal): Promise<void> {
    const { store, webhooks, sender, failed } = this.parts;
    const webhook = webhooks.list().find((w) => w.name === notice.webhook);
    if (webhook === undefined) {
      await store.finish(notice);
      return;
    }
    const answer = await sender.send({ format: webhook.format, url: webhook.url, secret: webhook.secret, id: notice.id, body: notice.message }, signal);
    if (answer === 'interrupted') return;
    if (answer.ok) {
      await store.finish(notice);
      return;
    }
    failed?.(notice, answer.detail);
    if (notice.tries < this.options.retries.tries) {
      await store.postpone(notice, retryInMs(this.options.retries, notice.tries, Math.random()));
    } else await store.finish(notice);
  }
}

const AT_ONCE = 8;
/** Longer than the sender's own timeout. */
const CLAIM_MS = 30_000;
