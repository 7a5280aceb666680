// A replica that is halted between a look and what follows from it, and wakes when others have gone on.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenRuns, OperateJob, PoisonJob, QuarantinedRevisions, QueueGates, QueuesOfRun, SaturatedIntake, Signals, type QueueGate, type RunAt } from '#libs/application';
import type { Level } from '#libs/domain';
import { PgMaintenanceStore, PgQueueGateStore, PgSwitchStore, pgReadModels, QueueIds } from '#libs/postgres';
import { DEFAULT_POLICY, waitUntil } from '#libs/testing';
import { cause, Stage, T0, typesOf } from './stage.js';

const MAILS = { namespace: 'default', queue: 'mails' };
const ADA = { reason: 'because', by: 'ada' };

describe('a replica that was halted in the middle of a run', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.open();
    await stage.saturate('mails');
  });
  afterEach(() => stage.close());

  const gatesOf = (): QueueGates => new QueueGates(new PgQueueGateStore(stage.world.database, new QueueIds(stage.world.database)));
  const outcomes = { rates: () => Promise.resolve([]) };

  /** The run as it stands after its step of this type. */
  async function reached(type: string): Promise<RunAt> {
    const steps = await stage.drive(stage.controller(), (all) => all.some((step) => step.type === type));
    return { incidentId: (await stage.all()).at(-1)?.id ?? '', n: steps.length };
  }

  /** Its intake, as a replica does it that is halted once it has read the gates; `meanwhile` others do that. */
  function intake(meanwhile: (gates: QueueGates) => Promise<unknown>): SaturatedIntake {
    const gates = gatesOf();
    const refresh = async (): Promise<void> => {
      await gates.refresh();
      await meanwhile(gatesOf());
    };
    return new SaturatedIntake({ runs: stage.runs, outcomes, gates: Object.assign(Object.create(gates) as QueueGates, { refresh }) });
  }

  const person = (gate: QueueGate['gate'], perSecond: number | null = null) => (gates: QueueGates) => gates.set({ ...MAILS, ...ADA, gate, perSecond });

  it('throttles no queue once the run is over', async () => {
    const run = await reached('cause-assessed');
    await stage.drive(stage.controller());
    await intake(() => Promise.resolve()).setShare(run, 10, T0);
    expect([await stage.gate('mails'), (await stage.runs.queues(run.incidentId))[0]?.sharePercent]).toEqual(['open', null]);
  });

  it('lets a queue be throttled no further where it is halted in between the two writes', async () => {
    const run = await reached('cause-assessed');
    const gates = gatesOf();
    const setFor: QueueGates['setFor'] = async (...of) => {
      await stage.drive(stage.controller());
      return await gates.setFor(...of);
    };
    await new SaturatedIntake({ runs: stage.runs, outcomes, gates: Object.assign(Object.create(gates) as QueueGates, { setFor }) }).setShare(run, 10, T0);
    expect(await stage.gate('mails')).toBe('open');
  });

  it('opens no queue that a person has paused in between', async () => {
    const throttles = await reached('cause-assessed');
    await intake(person('paused')).setShare(throttles, 10, T0);
    expect(await stage.gate('mails')).toBe('paused');
    await stage.world.gates.set({ ...MAILS, ...ADA, gate: 'open', perSecond: null });
    await intake(() => Promise.resolve()).setShare(throttles, 10, T0);
    expect(await stage.gate('mails')).toMatch(/^throttled/u);
    expect(await intake(person('paused')).lift(throttles)).toEqual({ lifted: 0, setByOthers: ['mails'] });
    expect(await stage.gate('mails')).toBe('paused');
  });

  it('refuses no revision that a person has let in again after the run', async () => {
    const run = await reached('intake-throttled');
    await stage.drive(stage.controller());
    await stage.quarantine.lift({ ...MAILS, ...ADA, revision: 'v2' });
    await new QuarantinedRevisions(stage.quarantine).refuse(run, [MAILS], 'v2', 'late');
    expect(stage.quarantine.refusedOf(MAILS)).toEqual([]);
  });

  it('takes no job out that a person has sent round again since', async () => {
    const { log, policies, database: db } = stage.world;
    const ref = { ...MAILS, id: 'of-mails' };
    const poison = new PoisonJob(log, policies);
    expect(await poison.deadLetter(ref, '1', T0)).toBe('dead-lettered');
    await new OperateJob(log, policies, pgReadModels(db).jobs).call(ref, 'redrive', ADA);
    expect(await poison.deadLetter(ref, '1', T0)).toBe('dead-lettered');
    expect((await stage.world.job('of-mails')).status).toBe('requeued');
    await stage.pass(1_000);
    expect(await poison.deadLetter(ref, '2', T0 + 1)).toBe('dead-lettered');
    expect((await stage.world.job('of-mails')).status).toBe('dead-lettered');
  });

  it('begins no act where it has waited for whoever made the next step', async () => {
    const run = await reached('cause-assessed');
    const { database: db } = stage.world;
    const begins = (afterN: number) => stage.runs.begin({ ...run, act: 'set-share', calls: 0 }, { tries: 9, callsPerMinute: 9, afterN });
    const waits = await db.transaction(async (tx) => {
      await tx.query('SELECT FROM jobwarden.incidents WHERE incident_id = $1 FOR UPDATE', [run.incidentId]);
      await tx.query(
        `INSERT INTO jobwarden.incident_steps (incident_id, n, type, at_ms, made_by, reason, shard, number)
         SELECT incident_id, n + 1, 'noted', at_ms, 'ada', 'I look at it', shard, number + 1000 FROM jobwarden.incident_steps WHERE incident_id = $1 AND n = $2`,
        [run.incidentId, run.n],
      );
      const begun = begins(run.n);
      await waitUntil('it waits', async () => (await db.query(`SELECT FROM pg_locks l WHERE NOT l.granted`)).length > 0);
      return [begun] as const;
    });
    expect(await waits[0]).toBe(false);
    expect(await begins(run.n + 1)).toBe(true);
  });

  it.each([
    ['a person has aborted the run', async () => await stage.calls.abort((await stage.all()).at(-1)?.id ?? '', ADA)],
    ['all actions have been stopped', async () => await new PgSwitchStore(stage.world.database).set({ enabled: false, ...ADA })],
  ])('writes nothing to the cluster once %s', async (_, meanwhile) => {
    const { orchestrator } = stage;
    let halts = 0;
    // Asked to write, it is halted before it does.
    const apply: typeof orchestrator.apply = async (...of) => {
      if (halts++ === 0) await meanwhile();
      return await orchestrator.apply(...of);
    };
    stage.cluster = { orchestrator: Object.assign(Object.create(orchestrator) as typeof orchestrator, { apply }), withinMs: 60_000 };
    const controller = stage.controller();
    for (let looks = 0; looks < 40; looks += 1) {
      while (await controller.step());
      await stage.pass(5_000);
    }
    expect(halts).toBe(1);
    expect(await stage.pool()).toMatchObject({ revision: 'v2', wanted: 3 });
  });

  it('does nothing at a level that a person has taken back since it looked', async () => {
    await stage.close();
    const levels = { ...DEFAULT_POLICY.levels, throttle: 'act' as Level, rollback: 'act' as Level };
    stage = await Stage.open({ levels });
    await stage.saturate('mails');
    let taken = 0;
    const controller = stage.controller({
      refreshLevels: () => {
        if (taken++ === 0) levels.throttle = levels.rollback = 'observe';
        return Promise.resolve();
      },
    });
    const steps = await stage.drive(controller);
    expect(taken).toBeGreaterThan(0);
    expect(typesOf(steps)).not.toContain('intake-throttled');
    expect([stage.applied, await stage.gate('mails')]).toEqual([0, 'open']);
  });

  it('opens nothing for signals that another one has brought to their end', async () => {
    stage.assessed = cause();
    const { runs, incidents, signals } = stage;
    const { database: db, policies } = stage.world;
    const desk = new Signals({ store: signals, windows: new PgMaintenanceStore(db), policies, settled: () => undefined });
    const [read, acted] = [await desk.open(), await runs.acted(T0)];
    await stage.drive(stage.controller());
    expect(await stage.all()).toHaveLength(1);
    const halted = new OpenRuns({
      signals: Object.assign(Object.create(desk) as Signals, { open: () => Promise.resolve(read) }),
      runs: Object.assign(Object.create(runs) as typeof runs, { acted: () => Promise.resolve(acted) }),
      ...{ incidents, policies, queuesOf: new QueuesOfRun(runs, policies), causes: { common: () => Promise.resolve(new Map<string, string>()) } },
    });
    await halted.step();
    expect(await stage.all()).toHaveLength(1);
  });
});
