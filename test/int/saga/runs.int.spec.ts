import { afterEach, describe, expect, it } from 'vitest';
import type { SagaController } from '#libs/application';
import { pageOf, type SeenCause } from '#libs/domain';
import { Database } from '#libs/postgres';
import { DEFAULT_POLICY } from '#libs/testing';
import { cause, Stage, TARGET, T0, typesOf } from './stage.js';

describe('a run on a real database', () => {
  const stages: Stage[] = [];
  const opened = async (...of: Parameters<typeof Stage.open>): Promise<Stage> => {
    const stage = await Stage.open(...of);
    stages.push(stage);
    return stage;
  };
  afterEach(async () => {
    for (const stage of stages.splice(0)) await stage.close();
  });

  it('against a bad revision isolates it, rolls its target back and lets intake in again', async () => {
    const stage = await opened();
    await stage.saturate('mails');
    const controller = stage.controller();
    await stage.drive(controller, (steps) => steps.some(({ type }) => type === 'isolated'));
    expect(await stage.gate('mails')).toBe('throttled 0.2');
    const steps = await stage.drive(controller);
    expect(typesOf(steps)).toEqual([
      ...['opened', 'cause-assessed', 'intake-throttled', 'evidence-captured', 'isolated', 'rollback-begun', 'rolled-back', 'replicas-restored', 'verified'],
      ...['readmitting', 'readmitting', 'readmitting', 'readmitting', 'readmitting', 'resolved'],
    ]);
    expect(await stage.pool()).toEqual({ revision: 'v1', wanted: 3, available: 3 });
    expect([stage.applied, await stage.gate('mails')]).toEqual([1, 'open']);
    expect(stage.quarantine.refusedOf({ namespace: 'default', queue: 'mails' })).toEqual(['v2']);
    const [acted] = await stage.runs.acted(T0);
    expect(acted).toMatchObject({ subject: TARGET, did: 'rollback-begun', open: false, queues: [{ namespace: 'default', queue: 'mails' }] });
    expect(acted?.atMs).toBe(steps.at(-1)?.atMs);
  });

  it('takes a second signal of the target into it, and puts one within the cool-down off until after it', async () => {
    const stage = await opened({ rollback: { ...{ target: TARGET, scaleToZero: false, approval: false, coolDownMs: 3_600_000, writesPerMinute: 6, watchMs: 60_000, onAbort: 'lift' } } });
    await stage.saturate('mails');
    const controller = stage.controller();
    await stage.drive(controller, (steps) => steps.length > 4);
    await stage.saturate('letters');
    await stage.drive(controller);
    expect(await stage.all()).toHaveLength(1);
    await stage.saturate('parcels');
    while (await controller.step());
    expect(await stage.all()).toHaveLength(1);
    await stage.pass(3_600_000);
    while (await controller.step());
    expect(await stage.all()).toHaveLength(2);
    expect(stage.applied).toBe(1);
  });

  it.each([
    ['observes only', 'would-have', { levels: { retry: 'observe', requeue: 'observe', deadLetter: 'observe', throttle: 'observe', rollback: 'observe' } }],
    ['throttles', 'intake-throttled', {}],
  ] as const)('that %s keeps an alert that flaps from opening, and paging for, another one within the cool-down after it', async (_, did, changes) => {
    const stage = await opened({ rollback: { ...DEFAULT_POLICY.rollback, target: null, coolDownMs: 1_800_000 }, ...changes });
    stage.assessed = cause({ cause: 'downstream_outage', subject: null, action: 'throttle' });
    const controller = stage.controller();
    await stage.world.send({ type: 'queued', job: 'of-mails', queue: 'mails' });
    await stage.flap('mails', 1);
    await stage.drive(controller, (steps) => steps.some(({ type }) => type === did));
    await stage.flap('mails', 1, false);
    expect((await stage.drive(controller)).at(-1)?.type).toBe('resolved');
    for (const n of [2, 3, 4]) {
      await stage.flap('mails', n);
      while (await controller.step());
      await stage.pass(60_000);
      await stage.flap('mails', n, false);
      await stage.pass(60_000);
    }
    expect(await stage.all()).toHaveLength(1);
    const [{ id } = { id: '' }] = await stage.all();
    const why = new RegExp(`^incident ${id} .*(?:throttled|would have).* until 20`, 'u');
    for (const [settled, detail] of (await stage.told()).slice(1)) expect([settled, detail]).toEqual(['cool_down', expect.stringMatching(why)]);
    expect(stage.putOff).toHaveLength(3);
    await stage.flap('mails', 5);
    while (await controller.step());
    expect(await stage.all()).toHaveLength(1);
    await stage.pass(1_800_000);
    while (await controller.step());
    expect(await stage.all()).toHaveLength(2);
    expect((await stage.told()).at(-1)).toEqual([null, null]);
  });

  const quietRun = async (assessed: SeenCause, queue: string): Promise<{ stage: Stage; controller: SagaController }> => {
    const stage = await opened({ rollback: { ...DEFAULT_POLICY.rollback, target: null, coolDownMs: 1_800_000 } });
    stage.assessed = assessed;
    const controller = stage.controller();
    await stage.world.send(...['mails', 'letters'].map((name) => ({ type: 'queued', job: `of-${name}`, queue: name }) as const));
    await stage.flap(queue, 1);
    await stage.drive(controller, (steps) => steps.some(({ type }) => type === 'intake-throttled'));
    await stage.flap(queue, 1, false);
    expect((await stage.drive(controller)).at(-1)?.type).toBe('resolved');
    return { stage, controller };
  };

  it.each(['downstream_outage', 'lock_contention', 'overload'] as const)('for %s of one queue keeps no other queue from opening one', async (named) => {
    const { stage, controller } = await quietRun(cause({ cause: named, subject: null, action: 'throttle' }), 'mails');
    await stage.flap('letters', 2);
    while (await controller.step());
    expect(await stage.all()).toHaveLength(2);
    await stage.flap('mails', 3);
    while (await controller.step());
    // What is open by now takes it.
    expect([(await stage.all()).length, stage.putOff]).toEqual([2, []]);
  });

  it('of which nobody knew why keeps nothing from opening one, not even its own queue', async () => {
    const { stage, controller } = await quietRun(cause({ cause: 'unknown', subject: null, action: 'throttle' }), 'mails');
    await stage.flap('mails', 2);
    while (await controller.step());
    expect(await stage.all()).toHaveLength(2);
  });

  const UNKNOWN = cause({ cause: 'unknown', subject: null, confidence: 0.2, action: 'escalate' });
  const flapsOnce = async (stage: Stage, controller: SagaController, n: number): Promise<void> => {
    await stage.flap('mails', n);
    while (await controller.step());
    await stage.pass(60_000);
    await stage.flap('mails', n, false);
    while (await controller.step());
    await stage.pass(60_000);
  };

  it('for which no cause is found stays with a person, takes every new start of an alert that flaps, and lets go when the person says that it is over', async () => {
    const stage = await opened({ rollback: { ...DEFAULT_POLICY.rollback, target: null, coolDownMs: 1_800_000 } });
    stage.assessed = UNKNOWN;
    const controller = stage.controller();
    await stage.world.send({ type: 'queued', job: 'of-mails', queue: 'mails' });
    await stage.flap('mails', 1);
    expect((await stage.drive(controller)).at(-1)?.type).toBe('escalated');
    await stage.flap('mails', 1, false);
    for (const n of [2, 3, 4]) await flapsOnce(stage, controller, n);
    expect([(await stage.all()).length, stage.putOff]).toEqual([1, []]);
    const paged = async () => (await stage.steps()).map(pageOf).filter((page) => page !== null);
    expect(await paged()).toEqual(['page', 'escalated']);
    const [{ id } = { id: '' }] = await stage.all();
    await stage.incidents.resolveById(id, { reason: 'seen to', by: 'ada' });
    await flapsOnce(stage, controller, 5);
    expect([(await stage.all()).length, await paged()]).toEqual([2, ['page', 'escalated']]);
  });

  it('that was opened as unknown and found its cause later puts off what comes from that on its queue, and for one look what shows no cause', async () => {
    const stage = await opened({ rollback: { ...DEFAULT_POLICY.rollback, target: null, coolDownMs: 1_800_000 } });
    const controller = stage.controller();
    const OUTAGE = cause({ cause: 'downstream_outage', subject: null, action: 'throttle' });
    await stage.world.send({ type: 'queued', job: 'of-mails', queue: 'mails' });
    stage.assessed = UNKNOWN;
    await stage.flap('mails', 1);
    await stage.drive(controller, (steps) => steps.at(-1)?.type === 'cause-assessed');
    stage.assessed = OUTAGE;
    await stage.drive(controller, (steps) => steps.some(({ type }) => type === 'intake-throttled'));
    await stage.flap('mails', 1, false);
    expect((await stage.drive(controller)).at(-1)?.type).toBe('resolved');
    expect((await stage.all()).map(({ subject }) => subject)).toEqual(['default/unknown']);
    await flapsOnce(stage, controller, 2);
    stage.assessed = UNKNOWN;
    await stage.flap('mails', 3);
    while (await controller.step());
    expect([(await stage.all()).length, stage.putOff.length, (await stage.told()).at(-1)?.[0]]).toEqual([1, 2, 'cool_down']);
    stage.assessed = OUTAGE;
    await stage.pass(60_000);
    while (await controller.step());
    expect([(await stage.all()).length, stage.putOff.length]).toEqual([1, 3]);
    await stage.flap('mails', 3, false);
    stage.assessed = UNKNOWN;
    await stage.flap('mails', 4);
    while (await controller.step());
    await stage.pass(60_000);
    while (await controller.step());
    expect((await stage.all()).map(({ subject }) => subject)).toEqual(['default/unknown', 'default/unknown']);
  });

  it('for one cause keeps its queue from opening one for no longer than it looks as if it were that cause', async () => {
    const { stage, controller } = await quietRun(cause({ cause: 'downstream_outage', subject: null, action: 'throttle' }), 'mails');
    await stage.flap('mails', 2);
    while (await controller.step());
    expect([(await stage.all()).length, stage.putOff.length]).toEqual([1, 1]);
    stage.assessed = cause();
    await stage.pass(60_000);
    while (await controller.step());
    expect((await stage.all()).map(({ subject }) => subject)).toEqual(['default/downstream_outage', 'default/bad_revision/v2']);
  });

  it('of a person who only asks what would be done keeps no signal from opening one', async () => {
    const stage = await opened({ rollback: { ...DEFAULT_POLICY.rollback, target: TARGET, approval: false, coolDownMs: 1_800_000 } });
    await stage.world.send({ type: 'queued', job: 'of-mails', queue: 'mails' });
    await stage.calls.open({ target: TARGET, queue: null, revision: 'v2', reason: 'what would it do', by: 'ada', dryRun: true, namespaces: 'all' });
    const controller = stage.controller();
    expect(typesOf(await stage.drive(controller))).toEqual(['opened', 'cause-assessed', 'would-have', 'resolved']);
    await stage.flap('mails', 1);
    while (await controller.step());
    expect(await stage.all()).toHaveLength(2);
  });

  it('throttles all of 200 queues that are told to fail for one cause', async () => {
    const stage = await opened({ rollback: { target: null, scaleToZero: false, approval: false, coolDownMs: 0, writesPerMinute: 6, watchMs: 60_000, onAbort: 'lift' } });
    stage.assessed = cause({ cause: 'downstream_outage', subject: 'smtp', action: 'throttle' });
    const queues = Array.from({ length: 200 }, (_, i) => `q${String(i)}`);
    await stage.saturate(...queues);
    const steps = await stage.drive(stage.controller(), (all) => all.some(({ type }) => type === 'intake-throttled'));
    expect((await stage.all()).map(({ subject }) => subject)).toEqual(['default/downstream_outage/smtp']);
    expect(steps[0]).toMatchObject({ reason: '200 queues are saturated, such as q0: 40 % of its attempts fail, 6000 jobs wait', evidence: { queueCount: 200 } });
    expect([await stage.gate('q0'), await stage.gate('q199')]).toEqual(['throttled 0.2', 'throttled 0.2']);
  });

  it('of a poison job dead-letters it, by a decision in its log, and nothing else', async () => {
    const stage = await opened();
    stage.assessed = cause({ cause: 'poison_job', subject: 'default/mails/of-mails', action: 'dead-letter' });
    await stage.saturate('mails');
    const steps = await stage.drive(stage.controller());
    expect(typesOf(steps).at(-1)).toBe('resolved');
    const job = await stage.world.job('of-mails');
    expect(job.status).toBe('dead-lettered');
    expect(job.state).toContain('poison_pill');
    expect(stage.applied).toBe(0);
  });

  it('leaves what a person has paused or slowed further as it is', async () => {
    const stage = await opened();
    await stage.saturate('mails', 'letters');
    const by = { reason: 'because', by: 'ada', namespace: 'default' } as const;
    await stage.world.gates.set({ ...by, queue: 'mails', gate: 'paused', perSecond: null });
    await stage.drive(stage.controller());
    expect([await stage.gate('mails'), await stage.gate('letters')]).toEqual(['paused', 'open']);
  });

  it('lets in no more than a person does, and leaves that as it was, also for the next run', async () => {
    const stage = await opened({ rollback: { target: TARGET, scaleToZero: false, approval: false, coolDownMs: 0, writesPerMinute: 6, watchMs: 60_000, onAbort: 'lift' } }, { revisions: ['v0', 'v1', 'v2'] });
    stage.healthy = ['v1', 'v0'];
    await stage.saturate('mails', 'letters');
    const by = { reason: 'because', by: 'ada', namespace: 'default' } as const;
    await stage.world.gates.set({ ...by, queue: 'mails', gate: 'throttled', perSecond: 5 });
    const controller = stage.controller();
    await stage.drive(controller, (steps) => steps.at(-1)?.evidence?.['percent'] === 100);
    await controller.step();
    expect([await stage.gate('mails'), await stage.gate('letters')]).toEqual(['throttled 5', 'throttled 10']);
    await stage.drive(controller);
    expect([await stage.gate('mails'), await stage.gate('letters')]).toEqual(['throttled 5', 'open']);
    for (const queue of ['mails', 'letters']) await stage.calm(queue);
    await stage.saturate('parcels');
    const again = await stage.calls.open({ target: TARGET, queue: null, revision: 'v1', reason: 'and this one', by: 'ada', dryRun: false, namespaces: 'all' });
    expect(again.kind).toBe('done');
    await stage.drive(controller, (steps) => steps.some(({ type }) => type === 'intake-throttled'));
    expect(await stage.gate('mails')).toBe('throttled 0.2');
    await stage.calls.abort((await stage.all()).at(-1)?.id ?? '', { reason: 'enough', by: 'ada' });
    await stage.drive(controller);
    expect(await stage.gate('mails')).toBe('throttled 5');
  });

  it('that ends leaves a queue throttled that another run holds back', async () => {
    const stage = await opened({ rollback: { target: null, scaleToZero: false, approval: false, coolDownMs: 0, writesPerMinute: 6, watchMs: 60_000, onAbort: 'lift' } });
    stage.assessed = cause({ cause: 'downstream_outage', subject: 'smtp', action: 'throttle' });
    await stage.saturate('mails');
    await stage.world.gates.set({ reason: 'because', by: 'ada', namespace: 'default', queue: 'mails', gate: 'throttled', perSecond: 5 });
    const controller = stage.controller();
    const throttled = (steps: readonly { readonly type: string }[]) => steps.some(({ type }) => type === 'intake-throttled');
    await stage.drive(controller, throttled);
    await stage.calm('mails');
    await stage.drive(controller, (steps) => steps.at(-1)?.evidence?.['percent'] === 10);
    await controller.step();
    await stage.calls.open({ target: null, queue: { namespace: 'default', queue: 'mails' }, revision: 'v2', reason: 'or this', by: 'ada', dryRun: false, namespaces: 'all' });
    await stage.drive(controller, throttled);
    expect(await stage.gate('mails')).toBe('throttled 0.2');
    const [first, second] = await stage.all();
    await stage.calls.abort(second?.id ?? '', { reason: 'it was not', by: 'ada' });
    await stage.drive(controller);
    expect(await stage.gate('mails')).toBe('throttled 1');
    await stage.incidents.resolveById(first?.id ?? '', { reason: 'over', by: 'ada' });
    while (await controller.step());
    expect(await stage.gate('mails')).toBe('throttled 5');
  });

  it('leaves a queue open that a person has opened meanwhile', async () => {
    const stage = await opened();
    await stage.saturate('mails');
    const by = { reason: 'because', by: 'ada', namespace: 'default', queue: 'mails' } as const;
    await stage.world.gates.set({ ...by, gate: 'paused', perSecond: null });
    const controller = stage.controller();
    await stage.drive(controller, (steps) => steps.some(({ type }) => type === 'isolated'));
    expect(await stage.gate('mails')).toBe('paused');
    await stage.world.gates.set({ ...by, gate: 'open', perSecond: null });
    await stage.drive(controller);
    expect(await stage.gate('mails')).toBe('open');
  });

  it('never acts twice though two replicas drive it at once', async () => {
    const stage = await opened();
    const url = new URL(stage.world.database.url);
    const others = [1, 2].map(() => new Database({ url: url.href, poolSize: 6, role: 'jobwarden_app' }));
    try {
      await stage.saturate('mails');
      const replicas = others.map((database) => stage.controller({ database }));
      for (let i = 0; i < 400; i += 1) {
        await Promise.all(replicas.map((replica) => replica.step()));
        const steps = await stage.steps();
        if (steps.at(-1)?.type === 'resolved') break;
        await stage.pass(5_000);
      }
      const steps = await stage.steps();
      expect(steps.at(-1)?.type).toBe('resolved');
      expect(await stage.all()).toHaveLength(1);
      expect(stage.applied).toBe(1);
      const tries = await stage.world.database.query<{ n: number; tries: number }>('SELECT n, count(*)::integer AS tries FROM jobwarden.incident_tries GROUP BY n');
      expect(tries.filter((one) => one.tries > 1)).toEqual([]);
    } finally {
      for (const database of others) await database.close();
    }
  });

  it('goes on with its throttle lifted once a person has resolved it', async () => {
    const stage = await opened();
    await stage.saturate('mails');
    const controller = stage.controller();
    await stage.drive(controller, (steps) => steps.some(({ type }) => type === 'isolated'));
    const [{ id } = { id: '' }] = await stage.all();
    await stage.incidents.resolveById(id, { reason: 'mended by hand', by: 'ada' });
    while (await controller.step());
    expect(await stage.gate('mails')).toBe('open');
  });

  it('that a person aborts leaves the throttle where the policy keeps it', async () => {
    const stage = await opened({ rollback: { target: TARGET, scaleToZero: false, approval: false, coolDownMs: 0, writesPerMinute: 6, watchMs: 60_000, onAbort: 'keep' } });
    await stage.saturate('mails');
    const controller = stage.controller();
    await stage.drive(controller, (steps) => steps.some(({ type }) => type === 'isolated'));
    const [{ id } = { id: '' }] = await stage.all();
    await stage.calls.abort(id, { reason: 'we look ourselves', by: 'ada' });
    const steps = await stage.drive(controller);
    while (await controller.step());
    expect(steps.at(-1)).toMatchObject({ type: 'resolved', evidence: { keepsThrottle: true } });
    expect([await stage.gate('mails'), await stage.runs.toDrive()]).toEqual(['throttled 0.2', []]);
  });

  it('by hand: one for each target, with what the person says to blame', async () => {
    const stage = await opened();
    await stage.saturate('mails');
    const call = { target: TARGET, queue: null, revision: 'v2', reason: 'it eats mails', by: 'ada', dryRun: false, namespaces: 'all' } as const;
    const dry = await stage.calls.open({ ...call, dryRun: true });
    expect(dry.kind).toBe('done');
    await stage.signals.tell([]);
    const told = await stage.drive(stage.controller());
    expect(typesOf(told)).toEqual(['opened', 'cause-assessed', 'would-have', 'resolved']);
    expect(told.find(({ type }) => type === 'would-have')?.evidence?.['plan']).toContain(`give ${TARGET} the release of v1, with 3 replicas as now`);
    expect(stage.applied).toBe(0);
  });
});
