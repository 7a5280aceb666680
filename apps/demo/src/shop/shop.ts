import { setTimeout as delay } from 'node:timers/promises';
import { createClient, readCommands, type Client, type EnqueueCommand } from '@jobwarden/client';
import { createWorker, type JobWorker } from '@jobwarden/worker';
import type { Journal } from '../journal.js';
import { WorkQueue } from '../work-queue.js';
import { Counter, type Order } from './counter.js';
import { Crew, type CrewMember } from './crew.js';
import { invoice, mailing, order } from './goods.js';
import { Orchestrator } from './orchestrator.js';
import { BAD_ORDERS, GOOD_ORDERS, INVOICES, NEWSLETTER, ORDERS, RELEASE_AFTER_MS } from './settings.js';
import { Teller } from './teller.js';
import { WishFiles } from './wish.js';
import type { FromShopWorker } from './worker/messages.js';

export interface ShopOptions {
  /** Of the running service, without a slash at the end. */
  readonly baseUrl: string;
  /** Where the wishes for workers lie, as the policy's orchestrator command knows it. */
  readonly folder: string;
  readonly journal: Journal;
}

interface Counted {
  readonly work: WorkQueue;
  readonly crew: Crew;
}

const quiet = { info: () => undefined, warn: () => undefined };

/**
 * The second act: three more queues of the shop, whose workers run under the published library. One gets payloads that are
 * wrong, one gets a bad release, one is only observed. Nothing in it waits for a person: what nobody does stays open.
 */
export class Shop {
  private readonly over = new AbortController();
  private readonly client: Client;
  private readonly worker: JobWorker;
  private readonly queues: Readonly<Record<string, Counted>>;
  private readonly orchestrator: Orchestrator;
  private readonly teller: Teller;
  private doing: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: ShopOptions) {
    const { baseUrl, folder, journal } = options;
    this.client = createClient({ url: baseUrl });
    // It runs nothing: what it is for is `queued`, which keeps to throttles.
    this.worker = createWorker({ client: this.client, id: 'shop-counter', thread: false, logger: quiet });
    this.queues = { [INVOICES]: this.opened(INVOICES, 1), [NEWSLETTER]: this.opened(NEWSLETTER, 2), [ORDERS]: this.opened(ORDERS, 1) };
    this.orchestrator = new Orchestrator(new WishFiles(folder, ORDERS), this.of(ORDERS).crew);
    this.teller = new Teller({ baseUrl, journal, signal: this.over.signal });
  }

  start(): void {
    this.of(INVOICES).crew.match(['1.8.2']);
    this.of(NEWSLETTER).crew.match(['3.1.0']);
    this.orchestrator.release(GOOD_ORDERS, { careful: false });
    const { signal } = this.over;
    const commands = readCommands({ client: this.client, queues: Object.keys(this.queues), signal, logger: quiet, onEnqueue: (command) => this.obey(command) });
    this.doing = Promise.all([
      commands,
      this.counter(INVOICES).keepTaking(2_000, invoice),
      this.counter(NEWSLETTER).keepTaking(2_000, mailing),
      this.counter(ORDERS).keepTaking(300, order),
      this.releaseInTime(),
      this.teller.follow(),
    ]);
  }

  /** Idempotent. Nothing of it is left afterwards. */
  async close(now: boolean): Promise<void> {
    this.over.abort();
    this.orchestrator.close();
    await Promise.all(Object.values(this.queues).map(({ crew }) => crew.close(now)));
    await Promise.all([this.doing, this.worker.drain()]);
  }

  private async releaseInTime(): Promise<void> {
    await delay(RELEASE_AFTER_MS, undefined, { signal: this.over.signal }).catch(() => undefined);
    if (this.over.signal.aborted) return;
    this.teller.released(BAD_ORDERS);
    this.orchestrator.release(BAD_ORDERS, { careful: true });
  }

  private obey({ subject: id, data: command }: EnqueueCommand): void {
    const { work, crew } = this.of(command.queue);
    const { kind = command.queue, attempt, token } = command;
    if (work.add({ id, kind, attempt, token, command })) crew.wake();
    this.teller.commanded(id, command);
  }

  private heard(queue: string, member: CrewMember, message: FromShopWorker): void {
    if (message.kind === 'done') this.teller.done(queue, message);
    if (message.kind === 'release') this.teller.release(queue, member, message.state);
  }

  private opened(queue: string, atOnce: number): Counted {
    const work = new WorkQueue();
    const onChange = () => {
      if (queue === ORDERS) this.orchestrator.note();
    };
    const crew = new Crew({ baseUrl: this.options.baseUrl, queue, work, atOnce, onChange, onMessage: (member, message) => this.heard(queue, member, message) });
    return { work, crew };
  }

  private of(queue: string): Counted {
    const found = this.queues[queue];
    if (found === undefined) throw new Error(`the shop has no queue ${queue}`);
    return found;
  }

  private counter(queue: string): { keepTaking(everyMs: number, next: (n: number) => Order): Promise<void> } {
    const { work, crew } = this.of(queue);
    return new Counter({ queue, work, worker: this.worker, wake: () => crew.wake(), signal: this.over.signal });
  }
}
