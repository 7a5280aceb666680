import { Agenda } from '../agenda.js';
import { Scribe } from '../log/scribe.js';
import type { Random } from '../random.js';
import { Attempts } from './attempts.js';
import { Connections } from './connections.js';
import { Handler } from './handler.js';
import { Locks } from './locks.js';
import type { Job, Run, Trouble } from './run.js';
import { Services } from './services.js';
import type { Pool, Queue, Terrain } from './terrain.js';
import { Worker } from './worker.js';

/**
 * A fleet at work, by discrete events: jobs arrive and wait, workers take and run them, what they need is taken and given
 * back, what fails comes again. What is wrong is a `Trouble`, or a change of what the fleet stands on; nothing else
 * knows of it, and the log says only what workers, queues and Jobwarden would say.
 */
export class Fleet {
  readonly agenda: Agenda;
  readonly scribe: Scribe;
  readonly attempts: Attempts;
  readonly locks: Locks;
  readonly connections: Connections;
  readonly services = new Services();
  readonly troubles: Trouble[] = [];
  readonly workers: Worker[] = [];
  private readonly queues: ReadonlyMap<string, Queue>;
  private readonly waiting = new Map<string, Job[]>();
  private readonly handler: Handler;
  private jobs = 0;
  private spawned = 0;

  constructor(
    readonly terrain: Terrain,
    readonly random: Random,
    startMs: number,
  ) {
    this.agenda = new Agenda(startMs);
    this.scribe = new Scribe(() => this.agenda.nowMs);
    this.attempts = new Attempts(this.agenda, this.scribe, random.fork('backoff'), (job) => { this.wait(job); });
    this.locks = new Locks(this.agenda, terrain.lockTimeoutMs);
    this.connections = new Connections(this.agenda, terrain.connectionSlots, terrain.poolTimeoutMs);
    this.queues = new Map(terrain.queues.map((queue) => [queue.name, queue]));
    for (const queue of terrain.queues) this.waiting.set(queue.name, []);
    this.handler = new Handler(this);
    for (const pool of terrain.pools) {
      for (let i = 0; i < pool.replicas; i += 1) this.spawn(pool, pool.revision);
    }
  }

  get nowMs(): number {
    return this.agenda.nowMs;
  }

  queueOf(name: string): Queue {
    const queue = this.queues.get(name);
    if (queue === undefined) throw new Error(`no queue ${name}`);
    return queue;
  }

  depth(name: string): number {
    return this.waiting.get(name)?.length ?? 0;
  }

  live(pool: Pool): readonly Worker[] {
    return this.workers.filter((worker) => worker.pool === pool && worker.state === 'up');
  }

  /** A new job, as a producer sends it. */
  put(queue: Queue, options: { readonly kind?: string; readonly poison?: boolean; readonly retries?: number } = {}): Job {
    const of = kindOf(queue, options.kind ?? this.random.next());
    this.jobs += 1;
    const job: Job = {
      id: `${of.name}/${String(100_000 + this.jobs)}`,
      queue: queue.name,
      kind: of.name,
      of,
      poison: options.poison ?? false,
      ownRetries: options.retries ?? null,
      queuedMs: this.nowMs,
      attempt: 1,
      begun: 0,
      lostInARow: 0,
      retriesUsed: 0,
      decisions: 0,
      done: false,
    };
    this.scribe.queued(job);
    this.wait(job);
    return job;
  }

  spawn(pool: Pool, revision: string, { track, sure = false }: { readonly track?: string; readonly sure?: boolean } = {}): Worker {
    const { telling } = this.terrain;
    const { random } = this;
    this.spawned += 1;
    const tellsRevision = sure || !random.chance(telling.withoutRevision);
    const told = {
      id: `${pool.name}-${random.hex(5)}`,
      incarnation: `${String(this.spawned)}-${random.hex(6)}`,
      ...(tellsRevision && { revision }),
      ...(track !== undefined && { track }),
    };
    const clock = {
      skewMs: random.chance(telling.wrongClocks) ? random.between(-telling.wrongByMs, telling.wrongByMs) : 0,
      delayMs: random.chance(telling.lateWorkers) ? random.between(0, telling.lateByMs) : random.between(1, 80),
      bornMs: this.nowMs,
    };
    const worker = new Worker(pool, revision, told, clock, !random.chance(telling.withoutRuntime));
    this.workers.push(worker);
    this.handler.beat(worker);
    for (const queue of pool.queues) this.dispatch(queue);
    return worker;
  }

  /** Takes no more, ends what it runs, and goes. */
  retire(worker: Worker): void {
    if (worker.state === 'up') worker.state = 'draining';
    this.leaveIfDrained(worker);
  }

  leaveIfDrained(worker: Worker): void {
    if (worker.state !== 'draining' || worker.runs.size > 0) return;
    this.remove(worker);
  }

  /** Dies without a word; its supervisor starts another of its kind after a while. */
  kill(worker: Worker, restartAfterMs: number): void {
    if (worker.state === 'gone') return;
    const replaced = worker.state === 'up';
    this.remove(worker);
    for (const run of worker.runs) {
      this.handler.drop(run);
      // Its last beat was some time ago already.
      this.attempts.silentFrom(run, this.queueOf(run.job.queue), worker.leaseMs * this.random.between(0.67, 1));
    }
    const { track } = worker.told;
    if (replaced) this.agenda.after(restartAfterMs, () => this.spawn(worker.pool, worker.revision, { ...(track !== undefined && { track }) }));
  }

  /** A place has become free, or a job has come. */
  dispatch(queue: string): void {
    const waiting = this.waiting.get(queue);
    while (waiting !== undefined && waiting.length > 0) {
      const free = this.workers.filter((worker) => worker.free && worker.pool.queues.includes(queue));
      if (free.length === 0) return;
      const job = waiting.shift();
      if (job !== undefined && !job.done) this.handler.begin(job, this.random.pick(free));
    }
  }

  runsOf(worker: Worker): readonly Run[] {
    return [...worker.runs];
  }

  private remove(worker: Worker): void {
    worker.state = 'gone';
    this.connections.processGone(worker);
    this.workers.splice(this.workers.indexOf(worker), 1);
  }

  private wait(job: Job): void {
    this.waiting.get(job.queue)?.push(job);
    this.dispatch(job.queue);
  }
}

function kindOf(queue: Queue, which: string | number): Queue['kinds'][number] {
  let share = 0;
  for (const kind of queue.kinds) {
    share += kind.share;
    if (which === kind.name || (typeof which === 'number' && which < share)) return kind;
  }
  const last = queue.kinds.at(-1);
  if (last === undefined) throw new Error(`queue ${queue.name} has no kinds`);
  return last;
}
