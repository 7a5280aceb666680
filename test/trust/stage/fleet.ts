import { pollUntil } from '#libs/testing';
import { Crew } from './crew.js';
import type { TrustStage } from './stage.js';
import { HttpWay, KafkaWay, type Way } from './ways.js';

export interface Times {
  readonly leaseMs: number;
  readonly graceMs: number;
  readonly beatEveryMs: number;
  /** Longer than a lease and its grace, and than what counts as a gap. */
  readonly outageMs: number;
  /** Replicas that join and leave. */
  readonly joins: number;
}

/** A wrong verdict is a command here, and nothing hides it. Jobs of `off` would be hung if a wrong clock were believed. */
export const FLEET_POLICY = ({ leaseMs, graceMs }: Times): string => `
defaults:
  lease: ${String(leaseMs)}ms
  grace: ${String(graceMs)}ms
  actions: act
  idempotent: true
  fallback: false
  blackout: {minWorkers: 100000, share: 1}
  budget: {perSecond: 10000, burst: 10000}
queues:
  kafka: {heartbeatTransport: kafka}
  http: {heartbeatTransport: http}
  kafka-off: {heartbeatTransport: kafka, hardTimeout: 4m}
  http-off: {heartbeatTransport: http, hardTimeout: 4m}
budget: {perSecond: 10000, burst: 10000}
`;

const CREWS = 6;
const JOBS = 20;
const SILENT = 3;
/** After the trouble: until its leases have run again, with a lot of room. */
const FOUND_WITHIN_LEASES = 20;

/** Workers that live all along, over Kafka and over HTTP, and the dead ones among them. */
export class Fleet {
  private readonly crews: { readonly crew: Crew; readonly way: Way; readonly queue: string }[] = [];
  private readonly told = new Set<string>();

  constructor(
    readonly stage: TrustStage,
    private readonly times: Times,
  ) {}

  get living(): number {
    return 2 * CREWS * JOBS;
  }

  get latestMs(): number {
    return Math.max(...this.crews.map(({ crew }) => crew.latestMs));
  }

  get rounds(): number {
    return this.crews.reduce((total, { crew }) => total + crew.rounds, 0);
  }

  get complaints(): readonly string[] {
    return this.crews.flatMap(({ way }) => (way instanceof HttpWay ? way.complaints : []));
  }

  async start(): Promise<void> {
    for (const queue of ['kafka', 'http']) {
      for (let i = 0; i < CREWS; i += 1) this.crews.push(this.crew(queue, `${queue}-${String(i)}`));
    }
    await Promise.all(this.crews.map(({ crew }) => crew.start()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.crews.map(({ crew }) => crew.die()));
    await Promise.all(this.crews.map(({ way }) => way.close()));
  }

  /** Workers whose clocks are ahead and behind by so much. */
  async startOff(shiftMs: number): Promise<readonly Crew[]> {
    const shifts = [shiftMs, -shiftMs];
    const off = ['kafka', 'http'].flatMap((queue) =>
      shifts.map((shift) => this.crew(`${queue}-off`, `${queue}-off${String(shift)}`, shift)),
    );
    this.crews.push(...off);
    await Promise.all(off.map(({ crew }) => crew.start()));
    return off.map(({ crew }) => crew);
  }

  /** Jobs of either way that start, and of which nothing more is heard. @returns how many. */
  async startSilent(phase: number): Promise<number> {
    for (const queue of ['kafka', 'http']) {
      await this.crews.find((one) => one.queue === queue)?.crew.startSilent(silentJobs(queue, phase));
    }
    return 2 * SILENT;
  }

  /** How many of those were put back and have their command on the topic, once all are, or it has taken too long. */
  async untilFound(phase: number): Promise<number> {
    const wanted = ['kafka', 'http'].flatMap((queue) => silentJobs(queue, phase));
    const found = async (): Promise<number> => {
      const rows = await this.stage.database.rows(
        `SELECT FROM jobwarden.jobs WHERE job_id = ANY ($1) AND status = 'requeued' AND attempt = 2`,
        [wanted],
      );
      const commanded = new Set(this.stage.commands.messages.map(({ subject }) => subject));
      return Math.min(rows.length, wanted.filter((job) => commanded.has(job)).length);
    };
    await pollUntil(async () => (await found()) >= wanted.length, { withinMs: this.times.leaseMs * FOUND_WITHIN_LEASES, everyMs: 200 });
    return await found();
  }

  /** Whatever was decided on living jobs since the last call, or said of them. */
  async newVerdicts(): Promise<readonly string[]> {
    const rows = await this.stage.database.rows<{ verdict: string }>(`
      SELECT j.job_id || ': decision ' || e.n || ' of type ' || e.type || ' at ' || e.lane_ms AS verdict
      FROM jobwarden.events e JOIN jobwarden.jobs j USING (job_key) WHERE e.n IS NOT NULL AND j.job_id LIKE 'live-%'
      UNION ALL
      SELECT j.job_id || ': ' || v.kind || ' ' || coalesce(v.verdict, '') || ' at ' || v.first_ms
      FROM jobwarden.verdicts v JOIN jobwarden.jobs j USING (job_key) WHERE j.job_id LIKE 'live-%'`);
    const fresh = rows.map(({ verdict }) => verdict).filter((verdict) => !this.told.has(verdict));
    for (const verdict of fresh) this.told.add(verdict);
    return fresh;
  }

  commandsForTheLiving(): number {
    return this.stage.commands.messages.filter(({ subject }) => subject.startsWith('live-')).length;
  }

  private crew(queue: string, worker: string, clockShiftMs?: number): { readonly crew: Crew; readonly way: Way; readonly queue: string } {
    const { leaseMs, beatEveryMs } = this.times;
    const way = queue.startsWith('kafka') ? new KafkaWay(this.stage.broker.brokers) : new HttpWay(this.stage);
    const shifted = clockShiftMs === undefined ? {} : { clockShiftMs };
    return { crew: new Crew({ worker, queue, jobs: JOBS, leaseMs, beatEveryMs, ...shifted }, way), way, queue };
  }
}

function silentJobs(queue: string, phase: number): readonly string[] {
  return Array.from({ length: SILENT }, (_, i) => `gone-${queue}-${String(phase)}-${String(i)}`);
}
