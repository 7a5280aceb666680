import type { Client, Logger } from '@jobwarden/client';

const LOOK_MS = 1_000;
/** As the service says to whoever claims for a release that is out of service. */
export const REFUSED_RETRY_MS = 5_000;

export interface RefusedRevisionParts {
  readonly client: Pick<Client, 'queue'>;
  /** undefined: it names none, and is never refused. */
  readonly revision: string | undefined;
  readonly logger: Logger;
  /** Told once for each change. */
  readonly changed: (queue: string, state: 'refused' | 'admitted') => void;
}

interface Watch {
  readonly admitted: Promise<void>;
  readonly end: () => void;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Queues in which this process' own release is out of service (`jobwarden revisions refuse`):
 *
 *   admitted ──a claim, a beat or the queue says so──► refused ──the queue, asked each second, says so no more──► admitted
 *
 * Whoever cannot be asked changes nothing. Its timers keep no process alive.
 */
export class RefusedRevision {
  private readonly watches = new Map<string, Watch>();
  private closed = false;

  constructor(private readonly parts: RefusedRevisionParts) {}

  /** Queues in which it is refused now. */
  get queues(): readonly string[] {
    return [...this.watches.keys()];
  }

  is(queue: string): boolean {
    return this.watches.has(queue);
  }

  /** Somebody has said so. */
  note(queue: string): void {
    const { revision, logger, changed } = this.parts;
    if (this.closed || revision === undefined || this.watches.has(queue)) return;
    let end = (): void => undefined;
    const admitted = new Promise<void>((resolve) => (end = resolve));
    this.watches.set(queue, { admitted, end, timer: undefined });
    logger.warn(`the revision ${revision} is out of service in the queue ${queue}: nothing more of it is begun here until it is let in again`);
    changed(queue, 'refused');
    this.plan(queue);
  }

  /** Resolves once it is not refused in this queue, or this process begins nothing more at all. */
  async admitted(queue: string): Promise<void> {
    await this.watches.get(queue)?.admitted;
  }

  close(): void {
    this.closed = true;
    for (const queue of this.queues) this.forget(queue);
  }

  private plan(queue: string): void {
    const watch = this.watches.get(queue);
    if (watch !== undefined) watch.timer = setTimeout(() => void this.look(queue), LOOK_MS).unref();
  }

  private async look(queue: string): Promise<void> {
    const { client, revision = '', logger, changed } = this.parts;
    const refused = await client.queue(queue).then(
      (view) => view?.refusedRevisions?.includes(revision) ?? false,
      () => true,
    );
    if (this.closed) return;
    if (refused) {
      this.plan(queue);
      return;
    }
    this.forget(queue);
    logger.info(`the revision ${revision} is let in again in the queue ${queue}`);
    changed(queue, 'admitted');
  }

  private forget(queue: string): void {
    const watch = this.watches.get(queue);
    this.watches.delete(queue);
    clearTimeout(watch?.timer);
    watch?.end();
  }
}
