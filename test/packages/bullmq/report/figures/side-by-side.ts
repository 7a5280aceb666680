import type { BullmqFigure, BullmqFindings, Killing } from '../figure.js';
import { seconds } from '../figure.js';
import { QUEUES, queueOf } from '../policy.js';

/** All from the kill on, ms. */
interface Way {
  /** When each step of the way back was taken, with what it was. */
  readonly steps: readonly (readonly [string, number])[];
  readonly startedMs: number;
}

/** How long a dead worker's job lies, without us and with us. */
export const sideBySide: BullmqFigure = {
  name: 'side-by-side',
  title: 'Side by side: a BullMQ worker killed at the default lock, and the same worker under Jobwarden at the same lease',
  run: async (killing) => {
    const { progress, bounds } = killing;
    progress(`${String(bounds.times)} pairs at the same time`);
    const times = Array.from({ length: bounds.times }, (_, i) => i);
    const [bare, under] = await Promise.all([Promise.all(times.map((i) => alone(killing, i))), Promise.all(times.map((i) => watched(killing, i)))]);
    return told(killing, bare, under);
  },
};

async function alone({ stage, bounds: { options } }: Killing, i: number): Promise<Way> {
  const name = queueOf('alone', i);
  const queue = stage.bareQueue(name);
  const first = await stage.bareWorker({ queue: name, id: 'first', options });
  const job = await queue.add('mail', { name, hangs: [1] });
  await first.waitForOutput(/started \S+ 1/u);
  const lockMs = await stage.connection.pttl(`bull:${name}:${job.id ?? ''}:lock`);
  const killedAt = Date.now();
  await first.kill();
  await stage.bareWorker({ queue: name, id: 'second', options });
  await stage.until('it is completed', async () => (await job.getState()) === 'completed');
  const events = await stage.connection.xrange(`bull:${name}:events`, '-', '+');
  const stalled = events.find(([, fields]) => fields[1] === 'stalled')?.[0] ?? '';
  return {
    steps: [
      ['the lock ends', lockMs],
      ['the second stall check finds it', Number(stalled.split('-')[0]) - killedAt],
    ],
    startedMs: (await startOf(stage, name)) - killedAt,
  };
}

async function watched({ stage }: Killing, i: number): Promise<Way> {
  const name = queueOf(QUEUES.besides, i);
  const queue = stage.queue(name, 'jobwarden');
  await stage.commandsOf(queue);
  const first = await stage.worker({ queue: name, id: 'first', owner: 'jobwarden' });
  const job = await queue.add('mail', { name, hangs: [1] });
  await first.waitForOutput(/started \S+ 1/u);
  const killedAt = Date.now();
  await first.kill();
  await stage.worker({ queue: name, id: 'second', owner: 'jobwarden' });
  await stage.until('it is completed', async () => (await job.getState()) === 'completed');
  const { decisions } = await stage.report(job);
  const at = (kind: string) => Date.parse(decisions.find((one) => one.kind === kind)?.at ?? '') - killedAt;
  return {
    steps: [
      ['the lease ends: a restart is asked for', at('restart-requested')],
      ['the grace ends: it is requeued', at('requeued')],
    ],
    startedMs: (await startOf(stage, name)) - killedAt,
  };
}

async function startOf({ connection }: Killing['stage'], name: string): Promise<number> {
  return Number(await connection.hget('startedAt', `${name} 2`));
}

function told({ bounds }: Killing, bare: readonly Way[], under: readonly Way[]): BullmqFindings {
  const line = (who: string, ways: readonly Way[]) => {
    const each = (of: (way: Way) => number) => ways.map((way) => seconds(of(way))).join(', ');
    const steps = ways[0]?.steps.map(([what], s) => `${what} after ${each(({ steps: own }) => own[s]?.[1] ?? NaN)} s`) ?? [];
    return `${who.padEnd(15)} starts again after ${each(({ startedMs }) => startedMs)} s: ${steps.join('; ')}`;
  };
  const back = (ways: readonly Way[]) => ways.filter(({ startedMs }) => startedMs > 0).length;
  return {
    method: [
      `Killed with -9 right after the job was begun, ${String(bounds.times)} times each, all at the same time; another worker is started at once, as a pod is.`,
      `Lock and stall check ${seconds(bounds.leaseMs)} s; lease ${seconds(bounds.leaseMs)} s, grace ${seconds(bounds.graceMs)} s. BullMQ’s first check after the kill only marks what is active, the next one`,
      'takes what is marked and has no lock. Starts by the clock of the handler, steps by Redis’ and by the database’s, all of one machine.',
    ],
    lines: [line('BullMQ alone', bare), line('under Jobwarden', under)],
    counts: [
      { of: 'jobs of BullMQ alone that came back', found: back(bare), wanted: { exactly: bounds.times } },
      { of: 'jobs under Jobwarden that came back', found: back(under), wanted: { exactly: bounds.times } },
    ],
  };
}
