import { RefusedCallError, type Client, type Logger, type StopCommandData } from '@jobwarden/client';
import type { AttemptRef } from './beats/held.js';

/** How long a stream stays open for the next job. */
const IDLE_MS = 10_000;
/** Each is a connection; beyond that the answers of beats have to do. */
const MOST_STREAMS = 8;

interface Stream {
  readonly ended: AbortController;
  running: number;
  idle: NodeJS.Timeout | null;
}

/** Listens to the stop commands of the queues of which something runs. They keep no process alive. */
export class Stops {
  private readonly streams = new Map<string, Stream>();
  private refused = false;

  constructor(
    private readonly client: Client,
    private readonly stop: (attempt: AttemptRef, reason: string) => void,
    private readonly logger: Logger,
  ) {}

  /** Something of the queue runs, until what it answers is called. */
  listen(queue: string): () => void {
    const stream = this.streams.get(queue) ?? this.open(queue);
    if (stream === null) return () => undefined;
    stream.running += 1;
    if (stream.idle !== null) clearTimeout(stream.idle);
    return () => {
      stream.running -= 1;
      if (stream.running === 0) stream.idle = setTimeout(() => this.close(queue, stream), IDLE_MS).unref();
    };
  }

  closeAll(): void {
    this.refused = true;
    for (const [queue, stream] of this.streams) this.close(queue, stream);
  }

  private open(queue: string): Stream | null {
    if (this.refused || this.streams.size >= MOST_STREAMS) return null;
    const stream: Stream = { ended: new AbortController(), running: 0, idle: null };
    this.streams.set(queue, stream);
    void this.read(queue, stream.ended.signal);
    return stream;
  }

  private close(queue: string, stream: Stream): void {
    if (stream.idle !== null) clearTimeout(stream.idle);
    stream.ended.abort();
    this.streams.delete(queue);
  }

  private async read(queue: string, signal: AbortSignal): Promise<void> {
    try {
      for await (const item of this.client.stream('commands', { queue, signal, ref: false })) {
        if (item.kind !== 'event' || item.type !== 'jobwarden.command.stop.v1') continue;
        const { queue: of, attempt, reason } = item.event.data as unknown as StopCommandData;
        this.stop({ queue: of, id: item.event.subject, attempt }, reason);
      }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (!this.refused) this.logger.warn(`stop commands cannot be read, so stops come with the answers of beats only: ${why}`);
      // A right that is missing is missing for every queue.
      if (error instanceof RefusedCallError) this.closeAll();
    }
  }
}
