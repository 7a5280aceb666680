import { setTimeout as delay } from 'node:timers/promises';
import type { EnqueueCommand } from '#libs/contracts';
import { Emitter } from './emitter.js';
import { Fleet, type FleetWorker } from './fleet.js';
import { Journal, type TroubleReport } from './journal.js';
import { Producer } from './producer.js';
import { Reports } from './reports.js';
import { DEADLINE_MS, FLEET_SIZE, HARD_TIMEOUT_MS, LEASE_MS, PARCEL, QUEUE, SOURCE, TROUBLED } from './settings.js';
import { Shop } from './shop/shop.js';
import { readStream } from './sse.js';
import { StaleCache } from './stale-cache.js';
import { summaryLines } from './summary.js';
import type { Ticket } from './ticket.js';
import { TROUBLES } from './troubles.js';
import { watchJob } from './watch.js';
import { WorkQueue } from './work-queue.js';
import type { FromWorker } from './worker/messages.js';

export interface DemoOptions {
  /** Of the running service, without a slash at the end. */
  readonly baseUrl: string;
  /** Ends the demo early. */
  readonly signal: AbortSignal;
  /** Gets each line of the output. */
  readonly print: (line: string) => void;
  /** Only the four troubles: its processes are gone once they are dealt with. Else it goes on, with the second act, until the signal. */
  readonly once: boolean;
  /** The demo's own, where its policy lies. */
  readonly folder: string;
  /** Told of the four troubles once they are over; what comes after it needs somebody who looks. */
  readonly onTroubles: (report: DemoReport) => void;
}

export interface DemoReport {
  /** All four troubles were found and dealt with, and the reports say so. */
  readonly ok: boolean;
  readonly troubles: readonly TroubleReport[];
  readonly tookMs: number;
}

/**
 * A small shop on a real service: a producer, a queue, worker processes, a cache. Four of its jobs get into trouble,
 * and nothing in the shop notices. Resolves to how that went, when its processes are gone; the service goes on.
 */
export async function runDemo(options: DemoOptions): Promise<DemoReport> {
  const demo = new Demo(options);
  try {
    return await demo.run();
  } finally {
    await demo.close();
  }
}

class Demo {
  private readonly journal: Journal;
  private readonly queue = new WorkQueue();
  private readonly fleet: Fleet;
  private readonly producer: Producer;
  private readonly cache: StaleCache;
  private readonly shop: Shop | null;
  private readonly over = new AbortController();
  private readonly signal: AbortSignal;

  constructor(private readonly options: DemoOptions) {
    const { baseUrl, print, signal, once, folder } = options;
    this.signal = AbortSignal.any([signal, this.over.signal]);
    this.journal = new Journal({ baseUrl, print });
    this.cache = new StaleCache(this.journal);
    this.shop = once ? null : new Shop({ baseUrl, folder, journal: this.journal });
    this.fleet = new Fleet({
      baseUrl,
      size: FLEET_SIZE,
      queue: this.queue,
      onMessage: (worker, message) => this.heard(worker, message),
      onHanded: (worker) => this.handed(worker),
      onDeath: (worker) => this.died(worker),
    });
    this.producer = new Producer(new Emitter(baseUrl, SOURCE), this.queue, () => this.fleet.wake());
  }

  async run(): Promise<DemoReport> {
    const { print, once, onTroubles } = this.options;
    this.fleet.start();
    this.shop?.start();
    this.journal.say('', `${FLEET_SIZE} worker processes, a producer, a queue in memory, a cache; lease ${seconds(LEASE_MS)}, hard timeout ${seconds(HARD_TIMEOUT_MS)}`);
    const troubles = await this.makeTroubles();
    if (once) {
      await this.workedOff();
      await this.close();
    }
    for (const line of ['', ...summaryLines(troubles), '']) print(line);
    const report = { ok: troubles.every(({ settled }) => settled), troubles, tookMs: this.journal.elapsedMs };
    onTroubles(report);
    if (!once) await this.producer.keepBreaking(this.signal);
    return report;
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.over.abort();
    const now = this.options.signal.aborted;
    await Promise.all([this.fleet.close(now), this.shop?.close(now)]);
  }

  private async makeTroubles(): Promise<readonly TroubleReport[]> {
    const { baseUrl, signal, once } = this.options;
    void this.obeyCommands();
    void this.cache.listen(baseUrl, this.signal);
    this.cache.askTooEarly();
    const watching = {
      baseUrl,
      reports: new Reports(baseUrl),
      journal: this.journal,
      signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
    };
    const { killed, hung, poison } = TROUBLES;
    const watched = [...[killed, hung, poison].map((trouble) => watchJob(trouble, watching)), this.cache.watch(watching)];
    await this.producer.produceTroubles();
    const enough = new AbortController();
    void this.producer.keepProducing(AbortSignal.any([this.signal, enough.signal]));
    const troubles = await Promise.all(watched);
    if (once) enough.abort();
    return troubles;
  }

  /** Jobs left in the queue would be reported as starved later on. */
  private async workedOff(): Promise<void> {
    for (let looks = 0; looks < 50 && this.queue.length > 0 && !this.signal.aborted; looks += 1) await delay(100);
  }

  /** What puts a job back: the same queue, fed from outside. From the start on, for a copy is dropped by the queue. */
  private async obeyCommands(): Promise<void> {
    const url = `${this.options.baseUrl}/v1/streams/commands?queue=${QUEUE}&from=start`;
    for await (const { event, data } of readStream(url, this.signal)) {
      if (event !== 'jobwarden.command.enqueue.v1') continue;
      const { subject: id, data: command } = JSON.parse(data) as EnqueueCommand;
      const { kind = 'email', attempt, token } = command;
      if (this.queue.add({ id, kind, attempt, token })) this.fleet.wake();
    }
  }

  private heard(worker: FleetWorker, message: FromWorker): void {
    if (message.kind === 'stored') this.cache.stored(message.id, message.value);
    if (message.kind === 'half-way' && worker.ticket?.attempt === 1 && isVictim(worker.ticket)) worker.kill();
  }

  private handed({ id, pid, ticket }: FleetWorker): void {
    if (ticket?.id !== TROUBLED.hung.id || ticket.attempt > 1) return;
    this.journal.tell('TROUBLE', ticket.id, `${id} (pid ${pid}) has begun it, and will wait for ever; its heartbeats go on`);
  }

  private died({ id, pid, ticket }: FleetWorker): void {
    const jobId = ticket?.id ?? 'nothing';
    const how = jobId === TROUBLED.poison.id ? 'killed by the job that it ran' : 'killed with -9 in mid-job';
    this.journal.tell('TROUBLE', jobId, `${id} (pid ${pid}) is dead: ${how}, attempt ${ticket?.attempt ?? 0}`);
  }
}

/** Its worker is killed while it runs it for the first time. */
const isVictim = ({ id, kind }: Ticket): boolean => id === TROUBLED.killed.id || kind === PARCEL;

const seconds = (ms: number): string => `${ms / 1_000} s`;
