import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '../backoff.js';
import type { Client } from '../client.js';
import type { CloudEvent, EnqueueCommand, EnqueueCommandData, StopCommand } from '../contract.js';
import { RefusedCallError } from '../errors.js';
import { stderrLogger, type Logger } from '../logger.js';
import type { StreamItem } from '../stream/stream.js';
import { memoryPositions, type PositionStore } from './positions.js';

export interface CommandReaderOptions {
  readonly client: Client;
  /** Whose commands are meant: those of their jobs, and those that are delivered to them (`fallbackQueue`). */
  readonly queues: readonly string[];
  /** Default: in memory, so that a new process begins with what comes from then on. */
  readonly positions?: PositionStore;
  /** Where to begin while no position is kept. Default `now`. `start` brings up to seven days of old commands: only where claims or the queue drop what is over. */
  readonly from?: 'now' | 'start';
  /** Put this attempt into the queue; a copy must do no harm. Until it resolves nothing further is read; rejecting has it called again. */
  readonly onEnqueue?: (command: EnqueueCommand) => Promise<void> | void;
  /** Stop this attempt, if it runs here. */
  readonly onStop?: (command: StopCommand) => Promise<void> | void;
  /** Something may have been missed: look at the jobs that are `requeued` (`client.jobs`). Default: it is logged. */
  readonly onReset?: () => Promise<void> | void;
  /** What to do where a handler rejects. Default: `retry`, after 0.2 s doubling to 5 s; it is logged each time. */
  readonly onError?: (error: unknown, command: EnqueueCommand | StopCommand) => 'retry' | 'skip';
  /** Ends the reading. */
  readonly signal: AbortSignal;
  /** Default: warnings to standard error. */
  readonly logger?: Logger;
}

/**
 * Reads the commands of some queues until `signal` is aborted, one after the other, at least once: a position is saved
 * after its command was dealt with. Never rejects: what is refused (no right, an unknown position) is logged and tried
 * again.
 */
export async function readCommands(options: CommandReaderOptions): Promise<void> {
  const { signal, logger = stderrLogger, positions = memoryPositions() } = options;
  const reader = new CommandReader({ ...options, logger, positions });
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      await reader.read();
    } catch (error) {
      logger.warn(`the command stream cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
    await delay(backoffMs(failures), undefined, { signal }).catch(() => undefined);
  }
}

class CommandReader {
  private readonly positions: PositionStore;
  private readonly queues: ReadonlySet<string>;
  private readonly logger: Logger;

  constructor(private readonly options: CommandReaderOptions & Required<Pick<CommandReaderOptions, 'positions' | 'logger'>>) {
    this.positions = options.positions;
    this.queues = new Set(options.queues);
    this.logger = options.logger;
  }

  async read(): Promise<void> {
    const { client, queues, signal, from = 'now' } = this.options;
    const kept = await this.positions.load();
    const begin = kept === null || kept === '' ? from : kept;
    // Several queues by one connection: positions are of the stream, and not of a queue.
    const only = queues.length === 1 ? queues[0] : undefined;
    try {
      for await (const item of client.stream('commands', { from: begin, signal, ...(only !== undefined && { queue: only }) })) {
        await this.take(item);
        if (signal.aborted) return;
        await this.save(item.id);
      }
    } catch (error) {
      // A position of another database, or no position at all: beginning anew is all that is left.
      if (error instanceof RefusedCallError && error.status === 400 && begin !== from) await this.reset();
      throw error;
    }
  }

  private async take(item: StreamItem): Promise<void> {
    if (item.kind === 'position') return;
    if (item.kind === 'reset') {
      await this.onReset();
      return;
    }
    const { event, type } = item;
    const { onEnqueue, onStop } = this.options;
    if (!this.isMine(event)) return;
    if (type === 'jobwarden.command.enqueue.v1') await this.hand(event as unknown as EnqueueCommand, onEnqueue);
    if (type === 'jobwarden.command.stop.v1') await this.hand(event as unknown as StopCommand, onStop);
  }

  /** A stop goes to both queues of a job: either may be running it. */
  private isMine(event: CloudEvent): boolean {
    const { queue, deliverTo } = event.data as unknown as EnqueueCommandData;
    if (deliverTo === undefined) return this.queues.has(queue);
    return this.queues.has(deliverTo) || (event.type === 'jobwarden.command.stop.v1' && this.queues.has(queue));
  }

  private async hand<C extends EnqueueCommand | StopCommand>(command: C, handler: ((command: C) => Promise<void> | void) | undefined): Promise<void> {
    const { signal, onError } = this.options;
    for (let failures = 0; handler !== undefined && !signal.aborted; failures += 1) {
      try {
        await handler(command);
        return;
      } catch (error) {
        this.logger.warn(`${command.type} of ${command.subject} was not dealt with: ${error instanceof Error ? error.message : String(error)}`);
        if (onError?.(error, command) === 'skip') return;
      }
      await delay(backoffMs(failures), undefined, { signal }).catch(() => undefined);
    }
  }

  private async onReset(): Promise<void> {
    const { onReset } = this.options;
    if (onReset === undefined) this.logger.warn('commands may have been missed: look at the jobs that are requeued');
    await onReset?.();
  }

  private async reset(): Promise<void> {
    await this.onReset();
    await this.save('');
  }

  private async save(position: string): Promise<void> {
    try {
      await this.positions.save(position);
    } catch (error) {
      this.logger.warn(`the position could not be saved: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
