import type { CommandConsumer } from '@jobwarden/bullmq';
import type { Job } from 'bullmq';
import type { TestProcess } from '#libs/testing';
import type { BullmqFigure, BullmqFindings, Killing } from '../figure.js';
import { seconds } from '../figure.js';

import { Gate } from '../../../../figures/gate.js';
import { QUEUES, queueOf } from '../policy.js';

/** BullMQ's default: a job may be found stalled so often; beyond, BullMQ fails it. */
const MAX_STALLED = 1;
/** Queues at once: each kill has to be followed by two stall checks. */
const AT_ONCE = 50;
/** Processes that start: more would keep each other, and everybody else, from the processor. */
const STARTED_AT_ONCE = 3;
/** In how many attempts of its life a job's worker is killed, one job after the other. */
const DEATHS = [1, 2, 1] as const;

/** What became of a job of which so many workers were killed. */
interface Ended {
  readonly deaths: number;
  readonly state: string;
  readonly status: string;
  readonly starts: readonly string[];
  /** Times that BullMQ has found it stalled and let it wait again. */
  readonly stalls: number;
  readonly putBack: number;
  readonly race: boolean;
}

/** Who recovers a queue recovers it alone. */
export const kills: BullmqFigure = {
  name: 'kills',
  title: 'Workers killed while BullMQ recovers the queue by its own stall check (owner: queue), and Jobwarden may act',
  run: async (killing) => {
    const total = killing.bounds.kills;
    const slots = Math.min(AT_ONCE, Math.ceil(total / 2));
    let done = 0;
    const killed = () => {
      done += 1;
      if (done % Math.ceil(total / 10) === 0) killing.progress(`${String(done)} of ${String(total)} killed`);
    };
    const gate = new Gate(STARTED_AT_ONCE);
    const share = (slot: number) => Math.floor(total / slots) + (slot < total % slots ? 1 : 0);
    const ended = await Promise.all(Array.from({ length: slots }, (_, slot) => new Slot(killing, slot, killed, gate).run(share(slot))));
    return told(killing, ended.flat(), done);
  },
};

/** One queue, and one worker of it at a time. In every other one Jobwarden steps in at the moment at which BullMQ does. */
class Slot {
  private readonly name: string;
  private readonly race: boolean;
  private workers = 0;

  constructor(
    private readonly killing: Killing,
    private readonly slot: number,
    private readonly killed: () => void,
    private readonly gate: Gate,
  ) {
    this.race = slot % 2 === 1;
    this.name = queueOf(this.race ? QUEUES.race : QUEUES.kills, slot);
  }

  async run(kills: number): Promise<readonly Ended[]> {
    const { stage } = this.killing;
    const queue = stage.queue(this.name, 'queue');
    const commands = await this.gate.through(() => stage.commandsOf(queue, 'queue'));
    const ended: Ended[] = [];
    let worker = await this.worker();
    for (let left = kills, i = 0; left > 0; i += 1) {
      const deaths = Math.min(left, DEATHS[(i + this.slot) % DEATHS.length] ?? 1);
      left -= deaths;
      const before = commandsActedOn(commands);
      const hangs = Array.from({ length: deaths }, (_, attempt) => attempt + 1);
      const name = `${this.name}.${String(i)}`;
      const job = await queue.add('mail', { name, hangs });
      for (const attempt of hangs) {
        await worker.waitForOutput(new RegExp(`started ${name} ${String(attempt)} `, 'u'), stage.withinMs);
        await worker.kill();
        this.killed();
        worker = await this.worker();
      }
      ended.push(await this.end(job, { name, deaths, before, commands }));
    }
    await worker.stop();
    return ended;
  }

  private async worker(): Promise<TestProcess> {
    const { stage, bounds } = this.killing;
    this.workers += 1;
    const id = `${this.name}-${String(this.workers)}`;
    return await this.gate.through(() => stage.worker({ queue: this.name, id, options: bounds.options }));
  }

  private async end(job: Job, { name, deaths, before, commands }: { name: string; deaths: number; before: number; commands: CommandConsumer }): Promise<Ended> {
    const { stage } = this.killing;
    let state = '';
    let status = '';
    // What BullMQ has failed may be put back and end otherwise: what both say is read until it fits together.
    await stage.until(`${name} has ended`, async () => ['completed', 'failed'].includes((state = await job.getState())));
    const agree = async () => {
      [state, { status }] = await Promise.all([job.getState(), stage.report(job)]);
      return (state === 'completed' && status === 'succeeded') || (state === 'failed' && status === 'dead-lettered');
    };
    await stage.until(`BullMQ and Jobwarden agree on ${name}`, agree).catch(() => undefined);
    const events = await stage.connection.xrange(`bull:${this.name}:events`, '-', '+');
    const stalls = events.filter(([, fields]) => fields.includes('stalled') && fields.includes(job.id ?? '')).length;
    const starts = (await stage.starts()).filter((line) => line.startsWith(`${name} `));
    return { deaths, state, status, starts, stalls, putBack: commandsActedOn(commands) - before, race: this.race };
  }
}

/** Those that moved a job. */
function commandsActedOn(commands: CommandConsumer): number {
  const stats = commands.stats();
  return ['put-back', 'retried', 'promoted', 'added'].reduce((sum, outcome) => sum + (stats[outcome] ?? 0), 0);
}

function told({ bounds }: Killing, ended: readonly Ended[], killed: number): BullmqFindings {
  const [calm, race] = [ended.filter((job) => !job.race), ended.filter((job) => job.race)];
  const sum = (jobs: readonly Ended[], of: (job: Ended) => number) => jobs.reduce((total, job) => total + of(job), 0);
  const most = (jobs: readonly Ended[]) => Math.max(0, ...jobs.map(({ starts }) => starts.length));
  const exactly = (what: string, found: number, wanted: number) => ({ of: what, found, wanted: { exactly: wanted } });
  const line = (who: string, jobs: readonly Ended[]) =>
    `${who}: ${String(jobs.length)} jobs, ${String(sum(jobs, (job) => job.deaths))} kills: ${String(sum(jobs, (job) => job.stalls))} times found stalled by BullMQ, ${String(sum(jobs, (job) => job.putBack))} put back by Jobwarden; ` +
    `${String(jobs.filter(({ state }) => state === 'completed').length)} completed, ${String(jobs.filter(({ state }) => state === 'failed').length)} given up; at most ${String(most(jobs))} starts`;
  const otherwise = ended.filter(({ state, status }) => status !== (state === 'completed' ? 'succeeded' : 'dead-lettered'));
  return {
    method: [
      `${String(killed)} workers killed with -9 in mid-job, up to ${String(AT_ONCE)} queues at once, one worker each that is replaced at once; jobs whose worker is killed once`,
      `and jobs whose worker is killed twice. Lock and stall check ${seconds(bounds.leaseMs)} s, maxStalledCount ${String(MAX_STALLED)}; policy owner: queue, at level act, commands consumed. A job may start`,
      `once, and once more for each time that it may be found stalled: ${String(1 + MAX_STALLED)}; after one more death BullMQ fails it. In every other queue ownerWait is as short as the`,
      'time to BullMQ’s second check, so that both want to put the job back at the same moment: there each put-back allows one start more.',
    ],
    lines: [
      line('ownerWait at its default', calm),
      line('both at the same moment', race),
      ...otherwise.map(({ state, status, starts, race: both }) => `known otherwise: ${state} in BullMQ, ${status} for Jobwarden, ${String(starts.length)} starts${both ? ', both at the same moment' : ''}`),
    ],
    counts: [
      exactly('workers killed', killed, bounds.kills),
      { of: 'starts of the job with the most', found: most(calm), wanted: { atMost: 1 + MAX_STALLED } },
      exactly('put back by Jobwarden, where BullMQ recovers in time', sum(calm, (job) => job.putBack), 0),
      exactly('both at once: jobs with more starts than BullMQ and put-backs allow', race.filter((job) => job.starts.length > 1 + MAX_STALLED + job.putBack).length, 0),
      exactly('attempts that began twice: put back by both', sum(ended, (job) => job.starts.length - new Set(job.starts).size), 0),
      exactly('jobs that Jobwarden knows otherwise than BullMQ', otherwise.length, 0),
      exactly('jobs left lying', ended.filter(({ state }) => state !== 'completed' && state !== 'failed').length, 0),
    ],
  };
}
