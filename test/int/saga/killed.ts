import { sagaOf, type IncidentStep, type IntentName } from '#libs/domain';
import type { Failpoint } from '#libs/application';
import { ended, Stage, TARGET, typesOf } from './stage.js';

/** One way that a run can go. */
export interface Path {
  readonly opened: Parameters<typeof Stage.open>;
  /** What is to blame, and what has been going on. */
  readonly prepare: (stage: Stage) => Promise<void>;
  /** What others do when the run stands so: asked between two lives of the process, until it has answered true. */
  readonly meanwhile?: (stage: Stage, steps: readonly IncidentStep[]) => Promise<boolean>;
}

/** How a run went, as far as a kill must not change it. */
export interface End {
  readonly types: readonly string[];
  readonly last: string;
  readonly pool: Readonly<Record<string, unknown>>;
  readonly gate: string;
  readonly refused: readonly string[];
  readonly jobs: readonly string[];
}

export interface Driven {
  readonly end: End;
  /** What was announced, of all acts and steps behind which the process has died. */
  readonly acted: ReadonlySet<IntentName>;
  /** Numbers of the steps behind which it has died, and of all that it made. */
  readonly killedBehind: readonly number[];
  readonly made: readonly number[];
  /** Of one announcement; the refusal of a revision left out, which is repeated while a dead process may not know of it. */
  readonly mostTries: number;
  /** Calls that were to write to the target. */
  readonly applied: number;
}

const KILLED = new Error('killed');
/** As often as it may be started: more than a run has steps and acts. */
const MOST_LIVES = 900;

/**
 * Drives a run along its path. `kills`: each process dies behind the first step that no process before has died behind, or the first act: so every step
 * and every act is died behind just once, and the next process is one that knows nothing.
 */
export async function drive({ opened, prepare, meanwhile = () => Promise.resolve(true) }: Path, kills: boolean): Promise<Driven> {
  const stage = await Stage.open(...opened);
  try {
    await prepare(stage);
    const deaths = new Deaths(stage);
    const failpoint: Failpoint = kills ? (window) => deaths.at(window) : () => undefined;
    let controller = stage.controller({ failpoint });
    let waits = true;
    for (let lives = 0; lives < MOST_LIVES; lives += 1) {
      const died = await dies(async () => {
        while (await controller.step());
      });
      const steps = await stage.steps();
      if (died) controller = stage.controller({ failpoint });
      else if (ended(steps) && !waits) return await told(stage, deaths, steps);
      if (waits) waits = !(await meanwhile(stage, steps));
      await stage.pass(died ? 1_000 : 5_000);
    }
    throw new Error(`it does not end: ${(await stage.steps()).map(({ type, reason }) => `${type} (${reason})`).join(' → ')}`);
  } finally {
    await stage.close();
  }
}

class Deaths {
  readonly acted = new Set<IntentName>();
  readonly behind: number[] = [];
  private readonly acts = new Set<number>();

  constructor(private readonly stage: Stage) {}

  async at(window: Parameters<Failpoint>[0]): Promise<void> {
    const standing = sagaOf(await this.stage.steps());
    if (standing === null) return;
    if (window === 'saga/step') {
      if (this.behind.includes(standing.n)) return;
      this.behind.push(standing.n);
      throw KILLED;
    }
    const { intent } = standing;
    if (intent === null || this.acts.has(intent.n)) return;
    this.acts.add(intent.n);
    this.acted.add(intent.does);
    throw KILLED;
  }
}

async function dies(life: () => Promise<void>): Promise<boolean> {
  try {
    await life();
    return false;
  } catch (error) {
    if (error instanceof Error && error.cause === KILLED) return true;
    throw error;
  }
}

async function told(stage: Stage, deaths: Deaths, steps: readonly IncidentStep[]): Promise<Driven> {
  const { database } = stage.world;
  // What was wished for last is there by then.
  await stage.pass(5_000);
  const tries = await database.query<{ most: number | null }>(`SELECT max(try) AS most FROM jobwarden.incident_tries WHERE act <> 'quarantine'`);
  const jobs = await database.query<{ status: string }>('SELECT DISTINCT status FROM jobwarden.jobs ORDER BY status');
  const { revision, wanted, available, scaler } = await stage.orchestrator.observe(TARGET, AbortSignal.timeout(1_000));
  return {
    end: {
      types: typesOf(steps),
      last: steps.at(-1)?.reason ?? '',
      pool: { revision, wanted, available, paused: scaler?.paused ?? false },
      gate: await stage.gate('mails'),
      refused: stage.quarantine.refusedOf({ namespace: 'default', queue: 'mails' }),
      jobs: jobs.map(({ status }) => status),
    },
    acted: deaths.acted,
    killedBehind: deaths.behind,
    made: steps.filter(({ by }) => by === 'jobwarden').map(({ n }) => n),
    mostTries: tries[0]?.most ?? 0,
    applied: stage.applied,
  };
}
