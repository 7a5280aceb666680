import type { CommandConsumer } from '@jobwarden/bullmq';
import { runId } from '@jobwarden/bullmq';
import type { Job } from 'bullmq';
import type { BullmqFigure, BullmqFindings, Killing } from '../figure.js';
import { QUEUES } from '../policy.js';
import { RedisWatch } from '../redis-watch.js';

/** The same death four times: without us, watched, acted on, and one that was none. */
export const defaultKill: BullmqFigure = {
  name: 'default-kill',
  title: 'A BullMQ worker killed with -9 in mid-job, queue at its defaults: first watched, then acted on',
  run: async (killing) => {
    const { stage, progress } = killing;
    const watch = await RedisWatch.begin(stage.connection);
    try {
      progress('four workers are killed, or stopped; BullMQ takes two of its stall checks');
      const consumers = { killed: await consumer(killing, 'killed'), stopped: await consumer(killing, 'stopped') };
      const [, shadowed, killed, stopped] = await Promise.all([bare(killing), shadow(killing), acted(killing), revived(killing)]);
      return await told(killing, { watch, shadowed, killed, stopped, consumers });
    } finally {
      watch.end();
    }
  },
};

async function consumer({ stage }: Killing, name: 'killed' | 'stopped'): Promise<CommandConsumer> {
  return await stage.commandsOf(stage.queue(QUEUES[name], 'jobwarden'));
}

async function bare({ stage, bounds: { options } }: Killing): Promise<Job> {
  const queue = stage.bareQueue('bare');
  const first = await stage.bareWorker({ queue: 'bare', id: 'first', options });
  const job = await queue.add('mail', { name: 'bare', hangs: [1] });
  await first.waitForOutput(/started bare 1/u);
  await renewed(stage, `bull:bare:${job.id ?? ''}:lock`);
  await first.kill();
  await stage.bareWorker({ queue: 'bare', id: 'second', options });
  await stage.until('the bare job is completed', async () => (await job.getState()) === 'completed');
  return job;
}

/** So that whatever a bare worker does has been seen. */
async function renewed(stage: Killing['stage'], lock: string): Promise<void> {
  let left = Infinity;
  await stage.until('its lock is renewed', async () => {
    const before = left;
    left = await stage.connection.pttl(lock);
    return left > before;
  });
}

/** One line in the worker's code, none where jobs are added. */
async function shadow({ stage, bounds: { options } }: Killing): Promise<Job> {
  const queue = stage.bareQueue(QUEUES.shadowed);
  const first = await stage.worker({ queue: queue.name, id: 'first', options });
  const job = await queue.add('mail', { name: 'shadowed', hangs: [1] });
  await first.waitForOutput(/started shadowed 1/u);
  await first.kill();
  await stage.worker({ queue: queue.name, id: 'second', options });
  await stage.until('the shadowed job is completed', async () => (await job.getState()) === 'completed');
  await stage.until('the would-have is graded', async () => (await verdicts(stage)).some(({ grade }) => grade !== 'open'));
  await stage.until('its success is known', async () => (await stage.report(job)).status === 'succeeded');
  return job;
}

async function acted({ stage }: Killing): Promise<Job> {
  const queue = stage.queue(QUEUES.killed, 'jobwarden');
  const first = await stage.worker({ queue: queue.name, id: 'first', owner: 'jobwarden' });
  const job = await queue.add('mail', { name: 'killed', hangs: [1] });
  await first.waitForOutput(/started killed 1/u);
  await first.kill();
  await stage.worker({ queue: queue.name, id: 'second', owner: 'jobwarden' });
  await stage.until('the job is completed', async () => (await job.getState()) === 'completed');
  await stage.until('its success is known', async () => (await stage.report(job)).status === 'succeeded');
  return job;
}

async function revived({ stage }: Killing): Promise<Job> {
  const queue = stage.queue(QUEUES.stopped, 'jobwarden');
  const first = await stage.worker({ queue: queue.name, id: 'first', owner: 'jobwarden' });
  const job = await queue.add('mail', { name: 'stopped', hangs: [1] });
  await first.waitForOutput(/started stopped 1/u);
  process.kill(first.pid, 'SIGSTOP');
  await stage.worker({ queue: queue.name, id: 'second', owner: 'jobwarden' });
  await stage.until('the job is completed', async () => (await job.getState()) === 'completed');
  await stage.connection.set('go', '1');
  process.kill(first.pid, 'SIGCONT');
  await first.waitForOutput(/refused stopped 1/u);
  await stage.connection.del('go');
  return job;
}

interface Verdict {
  readonly verdict: string;
  readonly grade: string;
}

async function verdicts(stage: Killing['stage']): Promise<readonly Verdict[]> {
  return (await stage.service.get<{ items: readonly Verdict[] }>(`/v1/verdicts?queue=${QUEUES.shadowed}`)).items;
}

interface Seen {
  readonly watch: RedisWatch;
  readonly shadowed: Job;
  readonly killed: Job;
  readonly stopped: Job;
  readonly consumers: Readonly<Record<'killed' | 'stopped', CommandConsumer>>;
}

async function told({ stage, bounds }: Killing, { watch, shadowed, killed, stopped, consumers }: Seen): Promise<BullmqFindings> {
  const graded = await verdicts(stage);
  const [starts, ends] = [await stage.starts(), await stage.ends()];
  const of = (lines: readonly string[], job: Job) => lines.filter((line) => line.startsWith(`${(job.data as { name: string }).name} `));
  const written = async (job: Job) => (await stage.connection.lrange(`sink:{${runId(job.id ?? '', job.timestamp)}}:lines`, 0, -1)).length;
  const bareWrites = await watch.writesTo('bare');
  const further = [...(await watch.writesTo(QUEUES.shadowed))].filter((shape) => !bareWrites.has(shape));
  const { decisions } = await stage.report(shadowed);
  const exactly = (what: string, found: number, wanted: number) => ({ of: what, found, wanted: { exactly: wanted } });
  const putBacks = Object.values(consumers).map((one) => one.stats()['put-back'] ?? 0);
  return {
    method: [
      `Four queues, a worker process each with one job in hand; lock, stall check and lease are ${String(bounds.leaseMs)} ms${bounds.options.lockDuration === undefined ? ', BullMQ’s real defaults, maxStalledCount 1' : ''}. Killed with -9, and another`,
      'worker is started at once: bare; watched (owner: queue, level observe); acted on (owner: jobwarden, claims). The fourth is stopped by',
      'SIGSTOP instead, and goes on when its job is done. Each job writes one line behind a Redis fence that keeps the highest token. MONITOR',
      'sees all that Redis is told, from within scripts too: compared are the writes to the watched queue with those to the bare one.',
    ],
    lines: [
      `watched: ${graded.map(({ verdict, grade }) => `${verdict}, ${grade}`).join('; ')}; kinds of writes: ${String(bareWrites.size)} bare, ${String(further.length)} more when watched${further.length > 0 ? ` (${further.join('; ')})` : ''}`,
      `acted on: starts ${of(starts, killed).join(', ')}; ends ${of(ends, killed).join(', ')}`,
      `stopped and revived: starts ${of(starts, stopped).join(', ')}; ends ${of(ends, stopped).join(', ')}`,
    ],
    counts: [
      exactly('watched: would-haves confirmed by BullMQ’s own recovery', graded.filter(({ grade }) => grade === 'confirmed').length, 1),
      exactly('watched: would-haves wrong or open', graded.filter(({ grade }) => grade !== 'confirmed').length, 0),
      exactly('watched: decisions on the job', decisions.length, 0),
      exactly('watched: kinds of writes to Redis that a bare worker does not do', further.length, 0),
      exactly('watched: writes to Redis that name Jobwarden', await watch.writesNaming(QUEUES.shadowed, 'jobwarden'), 0),
      { of: 'acted on: writes that name Jobwarden (so the count above would see them)', found: await watch.writesNaming(QUEUES.killed, 'jobwarden'), wanted: { atLeast: 1 } },
      exactly('acted on: starts', of(starts, killed).length, 2),
      exactly('acted on: ends', of(ends, killed).length, 1),
      exactly('acted on: lines in the sink', await written(killed), 1),
      exactly('revived: starts', of(starts, stopped).length, 2),
      exactly('revived: lines in the sink', await written(stopped), 1),
      exactly('revived: the first worker is refused', of(ends, stopped).filter((line) => line === 'stopped 1 refused').length, 1),
      exactly('native jobs put back, by their own id', Math.min(...putBacks), 1),
    ],
  };
}
