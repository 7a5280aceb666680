import { setTimeout as delay } from 'node:timers/promises';

export interface Message {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly data: {
    readonly queue: string;
    readonly attempt: number;
    readonly token?: number;
    readonly invalidation?: { readonly shard: number; readonly number: number };
    readonly position?: { readonly shard: number; readonly number: number };
  };
}

/** A subscriber as users write it: resumes where it was, by Last-Event-ID, whenever the connection breaks. */
export class Subscriber {
  /** In the order in which they came, repeats included. */
  readonly messages: Message[] = [];
  resets = 0;
  private lastId: string | null = null;
  private readonly done: Promise<void>;

  constructor(
    private readonly url: string,
    private readonly stopped: AbortSignal,
    private readonly onMessage: (message: Message) => void = () => undefined,
  ) {
    this.done = this.run();
  }

  async ended(): Promise<void> {
    await this.done;
  }

  private async run(): Promise<void> {
    while (!this.stopped.aborted) {
      try {
        await this.connect();
      } catch {
        // killed, or starting
      }
      await delay(50);
    }
  }

  private async connect(): Promise<void> {
    const response = await fetch(this.url, {
      signal: this.stopped,
      headers: { accept: 'text/event-stream', ...(this.lastId !== null && { 'last-event-id': this.lastId }) },
    });
    if (!response.ok || response.body === null) return;
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of response.body) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) this.take(block);
    }
  }

  private take(block: string): void {
    const lines = block.split('\n');
    const field = (name: string): string | undefined =>
      lines.find((l) => l.startsWith(`${name}:`))?.slice(name.length + 1).trim();
    const id = field('id');
    if (id !== undefined) this.lastId = id;
    if (field('event') === 'reset') this.resets += 1;
    const data = field('data');
    if (data === undefined || data === '' || field('event') === 'reset') return;
    const message = JSON.parse(data) as Message;
    if (typeof message.type !== 'string') return;
    this.messages.push(message);
    this.onMessage(message);
  }
}
