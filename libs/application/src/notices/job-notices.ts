import type { JobRef } from '#libs/domain';
import type { NoticeReads } from '../ports/notice-store.port.js';
import type { WebhookDirectory, WebhookEndpoint } from '../ports/webhooks.port.js';

export interface JobNotice {
  /** null: its address is secret. */
  readonly host: string | null;
  readonly format: WebhookEndpoint['format'];
  readonly state: 'gathering' | 'waiting' | 'refused' | 'delivered';
  /** So far, while it is not delivered. */
  readonly tries: number;
}

/** Whether those who are told of stuck jobs have been told of this one. */
export class JobNotices {
  constructor(
    private readonly reads: NoticeReads,
    private readonly webhooks: WebhookDirectory,
  ) {}

  /** For each webhook in force that is told of its queue. null: no run of late has found it stuck. */
  async of(ref: JobRef): Promise<readonly JobNotice[] | null> {
    const found = await this.reads.found(ref);
    if (found === null) return null;
    const { gathered, waiting } = found;
    const told = this.webhooks.list().filter(({ events, queues }) => events.includes('stuck') && (queues?.includes(ref.queue) ?? true));
    return told.map(({ name, url, format }) => {
      const of = { host: url === null || !URL.canParse(url) ? null : new URL(url).host, format };
      if (!gathered) return { ...of, state: 'gathering', tries: 0 };
      const waits = waiting.find(({ webhook }) => webhook === name);
      if (waits === undefined) return { ...of, state: 'delivered', tries: 0 };
      return { ...of, state: waits.refused ? 'refused' : 'waiting', tries: waits.tries };
    });
  }
}
