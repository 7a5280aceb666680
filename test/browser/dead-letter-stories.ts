import { waitUntil } from '#libs/testing';
import type { DashboardService, TestEvent } from './harness/service.js';

export const LETTER_POLICY = `
defaults: {idempotent: true, actions: act, maxRetries: 0, maxRedrives: 1}
redaction:
  - {path: data.payload.card}
`;

interface Death {
  readonly queue?: string;
  readonly message?: string;
  readonly class?: string;
  readonly revision?: string;
  readonly kind?: string;
}

/** Jobs that fail for good, told by real events to the real service. */
export class LetterStories {
  constructor(private readonly service: DashboardService) {}

  /** As many of one pattern, sorted already. */
  async die(ids: readonly string[], death: Death = {}): Promise<void> {
    const { queue = 'mails' } = death;
    const before = await this.sorted(queue);
    await this.service.send(...ids.flatMap((id) => [this.queued(id, death), this.failed(id, 1, death)]));
    await waitUntil(`${String(ids.length)} of ${queue} are sorted`, async () => (await this.sorted(queue)) === before + ids.length);
  }

  /** Is redriven by hand, and dies again. */
  async comeBack(id: string, death: Death = {}): Promise<void> {
    const { queue = 'mails' } = death;
    const before = await this.sorted(queue);
    await this.service.call('POST', `/v1/jobs/one/redrive?${names(queue, id)}`, { reason: 'the relay is back' });
    await this.service.send(this.failed(id, 2, death));
    await waitUntil(`${id} is sorted again`, async () => (await this.sorted(queue)) === before + 1);
  }

  async job(id: string, queue = 'mails'): Promise<Record<string, unknown>> {
    return await this.service.call('GET', `/v1/jobs/one?${names(queue, id)}`);
  }

  async decisions(id: string, queue = 'mails'): Promise<readonly Record<string, unknown>[]> {
    return (await this.job(id, queue))['decisions'] as readonly Record<string, unknown>[];
  }

  async patterns(queue: string): Promise<readonly { readonly id: string; readonly message: string; readonly letters: number; readonly review?: unknown }[]> {
    return (await this.service.call('GET', `/v1/dead-letters/patterns?${new URLSearchParams({ queue }).toString()}`))['items'] as never;
  }

  private async sorted(queue: string): Promise<number> {
    return (await this.patterns(queue)).reduce((sum, { letters }) => sum + letters, 0);
  }

  private queued(id: string, { queue = 'mails', kind = 'invoice' }: Death): TestEvent {
    return { fact: 'queued', id, data: { queue, kind, payload: { to: 'ada@example.con', order: 9_007_199_254_740_000 + id.length, card: '4111111111111111' } } };
  }

  private failed(id: string, attempt: number, { queue = 'mails', class: name = 'SmtpError', message = 'mailbox of order 701 unknown', revision = '2026.11.30-1' }: Death): TestEvent {
    const error = { class: name, code: 'E550', message, stack: `${name}: ${message}\n    at send (src/mail/send.ts:17:5)\n    at deliver (src/mail/deliver.ts:40:3)` };
    return { fact: 'failed', id, data: { queue, attempt, durationMs: 120, retryable: false, error, worker: { id: 'mailer-7', revision, incarnation: 'mailer-7-1' } } };
  }
}

const names = (queue: string, id: string): string => new URLSearchParams({ queue, id }).toString();
