import { waitUntil } from '#libs/testing';

export interface StreamEvent {
  readonly id: string;
  readonly event: string;
  /** As it was sent, lines put together again. */
  readonly text: string;
  readonly data: CloudEvent;
}

export interface CloudEvent {
  readonly id: string;
  readonly subject: string;
  readonly data: { readonly keys: readonly string[]; readonly [field: string]: unknown };
}

/** Reads server-sent events as a browser would. */
export class EventReader {
  readonly events: StreamEvent[] = [];
  /** As a browser keeps it: also moved on by heartbeats. */
  lastEventId = '';
  ended = false;
  private readonly abort = new AbortController();

  static async open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<EventReader> {
    const reader = new EventReader();
    const response = await fetch(url, { headers, signal: reader.abort.signal });
    if (response.status !== 200 || response.body === null)
      throw new Error(`${String(response.status)} ${await response.text()}`);
    void reader.read(response.body);
    return reader;
  }

  close(): void {
    this.abort.abort();
  }

  async until(count: number): Promise<readonly StreamEvent[]> {
    await waitUntil(`${String(count)} events`, () => this.events.length >= count);
    return this.events;
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    try {
      for await (const chunk of body) {
        text += decoder.decode(chunk, { stream: true });
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) this.take(block);
      }
    } catch {
      // Broken off by either side.
    }
    this.ended = true;
  }

  private take(block: string): void {
    const fields = block
      .split('\n')
      .filter((line) => !line.startsWith(':'))
      .map((line) => {
        const at = line.indexOf(':');
        return [line.slice(0, at), line.slice(line[at + 1] === ' ' ? at + 2 : at + 1)] as const;
      });
    const values = (name: string) => fields.filter(([field]) => field === name).map(([, value]) => value);
    this.lastEventId = values('id').at(-1) ?? this.lastEventId;
    const lines = values('data');
    if (lines.length === 0) return;
    const text = lines.join('\n');
    const event = values('event').at(-1) ?? 'message';
    this.events.push({ id: this.lastEventId, event, text, data: JSON.parse(text) as CloudEvent });
  }
}
