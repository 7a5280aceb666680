import { waitUntil } from '#libs/testing';
import type { DashboardService, TestEvent } from '../harness/service.js';

export const LETTER_POLICY = `
defaults: {idempotent: true, actions: act, maxRetries: 0, maxRedrives: 1}
redaction:
  - {path: data.payload.card}
`;

interface Death {
  readonly queue?: string;
  readonly namespace?: string;
  readonly message?: string;
  readonly class?: string;
  readonly revision?: string;
  readonly kind?: string;
  readonly payload?: unknown;
  readonly payloadText?: string;
}

/** Jobs that fail for good, told by real events to the real service. */
export class LetterStories {
  constructor(private readonly service: DashboardService) {}

  /** As many of one pattern, sorted already. */
  async die(ids: readonly string[], death: Death = {}): Promise<void> {
    await this.lie([[ids, death]]);
  }

  /** Many at once: they are sorted in one turn. Each group is of a queue of its own, or of the first one's. */
  async lie(groups: readonly (readonly [ids: readonly string[], death: Death])[]): Promise<void> {
    const queues = [...new Set(groups.map(([, { queue = 'mails', namespace = 'default' }]) => JSON.stringify([namespace, queue])))].map((text) => JSON.parse(text) as [string, string]);
    const total = async () => (await Promise.all(queues.map(([namespace, queue]) => this.sorted(queue, namespace)))).reduce((sum, letters) => sum + letters, 0);
    const before = await total();
    const all = groups.reduce((sum, [ids]) => sum + ids.length, 0);
    await this.service.send(...groups.flatMap(([ids, death]) => ids.flatMap((id) => [this.queued(id, death), this.failed(id, 1, death)])));
    await waitUntil(`${String(all)} letters are sorted`, async () => (await total()) === before + all);
  }

  /** Is redriven by hand, and dies again. */
  async comeBack(id: string, death: Death = {}): Promise<void> {
    const { queue = 'mails' } = death;
    const before = await this.sorted(queue);
    await this.redrive(id, queue);
    await this.service.send(this.failed(id, 2, death));
    await waitUntil(`${id} is sorted again`, async () => (await this.sorted(queue)) === before + 1);
  }

  /** By somebody else. */
  async redrive(id: string, queue: string): Promise<void> {
    await this.service.call('POST', `/v1/jobs/one/redrive?${names(queue, id)}`, { reason: 'the relay is back' });
  }

  async job(id: string, queue = 'mails'): Promise<Record<string, unknown>> {
    return await this.service.call('GET', `/v1/jobs/one?${names(queue, id)}`);
  }

  async decisions(id: string, queue = 'mails'): Promise<readonly Record<string, unknown>[]> {
    return (await this.job(id, queue))['decisions'] as readonly Record<string, unknown>[];
  }

  async payload(id: string, queue: string): Promise<string> {
    const { payload } = (await this.job(id, queue)) as { readonly payload: { readonly hash: string } };
    return await this.service.text(`/v1/jobs/one/bodies/${payload.hash}?${names(queue, id)}`);
  }

  async patterns(queue: string, namespace = 'default'): Promise<readonly { readonly id: string; readonly message: string; readonly letters: number; readonly review?: unknown }[]> {
    return (await this.service.call('GET', `/v1/dead-letters/patterns?${new URLSearchParams({ queue, namespace, limit: '1000' }).toString()}`))['items'] as never;
  }

  /** The address of the one with this message, or of the only one of a queue. */
  async patternPath(queue: string, message?: string): Promise<string> {
    const found = (await this.patterns(queue)).find((pattern) => message === undefined || pattern.message === message);
    return `/dead-letters/patterns/${String(found?.id)}`;
  }

  private async sorted(queue: string, namespace = 'default'): Promise<number> {
    return (await this.patterns(queue, namespace)).reduce((sum, { letters }) => sum + letters, 0);
  }

  private queued(id: string, { queue = 'mails', namespace, kind = 'invoice', payload, payloadText }: Death): TestEvent {
    const usual = { to: 'ada@example.con', order: 9_007_199_254_740_000 + id.length, card: '4111111111111111' };
    return { fact: 'queued', id, ...(namespace !== undefined && { namespace }), data: { queue, kind, payload: payload ?? usual }, ...(payloadText !== undefined && { payloadText }) };
  }

  private failed(id: string, attempt: number, { queue = 'mails', namespace, class: name = 'SmtpError', message = 'mailbox of order 701 unknown', revision = '2026.11.30-1' }: Death): TestEvent {
    const error = { class: name, code: 'E550', message, stack: `${name}: ${message}\n    at send (src/mail/send.ts:17:5)\n    at deliver (src/mail/deliver.ts:40:3)` };
    const data = { queue, attempt, durationMs: 120, retryable: false, error, worker: { id: 'mailer-7', revision, incarnation: 'mailer-7-1' } };
    return { fact: 'failed', id, ...(namespace !== undefined && { namespace }), data };
  }
}

const names = (queue: string, id: string): string => new URLSearchParams({ queue, id }).toString();
