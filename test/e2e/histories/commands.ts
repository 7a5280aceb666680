import { setTimeout as delay } from 'node:timers/promises';

export interface Command {
  /** The stream's event id. */
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly data: { readonly queue: string; readonly attempt: number; readonly token: number };
}

/** Reads the command stream in the background and keeps what came. */
export class CommandStream {
  readonly received: Command[] = [];
  private readonly abort = new AbortController();
  private done: Promise<void> = Promise.resolve();
  private failure: unknown = null;

  async open(url: string): Promise<void> {
    const response = await fetch(`${url}/v1/streams/commands`, {
      signal: this.abort.signal,
      headers: { accept: 'text/event-stream' },
    });
    if (!response.ok || response.body === null) throw new Error(`the stream answered ${String(response.status)}`);
    this.done = this.read(response.body).catch((error: unknown) => {
      if (!this.abort.signal.aborted) this.failure = error;
    });
  }

  enqueues(): readonly Command[] {
    return this.received.filter((c) => c.type === 'jobwarden.command.enqueue.v1');
  }

  /** Waits until `count` enqueue commands have come. */
  async until(count: number): Promise<void> {
    const deadline = Date.now() + 60_000;
    while (this.enqueues().length < count) {
      if (this.failure !== null) throw new Error('the command stream broke', { cause: this.failure });
      if (Date.now() > deadline) throw new Error(`${String(this.enqueues().length)} of ${String(count)} commands came`);
      await delay(2);
    }
  }

  async close(): Promise<void> {
    this.abort.abort();
    await this.done;
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) this.take(block);
    }
  }

  private take(block: string): void {
    const field = (name: string): string =>
      block
        .split('\n')
        .filter((line) => line.startsWith(`${name}:`))
        .map((line) => line.slice(name.length + 1).trimStart())
        .join('\n');
    const data = field('data');
    if (data === '') return;
    const event = JSON.parse(data) as Omit<Command, 'id'>;
    this.received.push({ ...event, id: field('id') });
  }
}
