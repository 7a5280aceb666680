import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToldSignal } from '#libs/application';
import { DRILL_NAMESPACE, DRILL_QUEUE } from '#libs/domain';
import { pgReadModels } from '#libs/postgres';
import { Stage, T0, typesOf } from './stage.js';

const QUEUE = { namespace: DRILL_NAMESPACE, queue: DRILL_QUEUE };

describe('a drill on a real database', () => {
  let stage: Stage;
  // Its queue may act, names the target of another one, and nothing lays a milder policy over it.
  beforeAll(async () => {
    stage = await Stage.open();
    await stage.world.database.query('INSERT INTO jobwarden.queues (namespace, queue) VALUES ($1, $2)', [DRILL_NAMESPACE, DRILL_QUEUE]);
  });
  afterAll(() => stage.close());

  const told = (name: string, firing = true): ToldSignal => ({
    ...{ identity: Buffer.from(name.padEnd(16)).toString('hex'), source: 'alertmanager', fingerprint: name, startsMs: T0, firing, figures: { ratio: 1 }, refused: null },
    ...QUEUE,
  });
  const stepsOf = async (subject: string) => {
    const found = (await stage.all()).find((one) => one.subject === subject);
    return (await pgReadModels(stage.world.database).incidents.one(found?.id ?? ''))?.steps ?? [];
  };

  it('is an incident of its own for each alert, touches no target, and ends with it', async () => {
    await stage.signals.tell([told('a'), told('b')]);
    const controller = stage.controller();
    while (await controller.step());
    expect((await stage.all()).map(({ subject }) => subject)).toEqual(['drill/a', 'drill/b']);
    expect((await stepsOf('drill/a'))[0]).toMatchObject({ reason: expect.stringMatching(/^DRILL: /u) as string, evidence: { target: null, dryRun: true, drill: true } });
    await stage.signals.tell([told('a', false)]);
    await stage.pass(5_000);
    while (await controller.step());
    expect([typesOf(await stepsOf('drill/a')), typesOf(await stepsOf('drill/b'))]).toEqual([['opened', 'would-have', 'resolved'], ['opened', 'would-have']]);
    await stage.pass(600_000);
    while (await controller.step());
    expect((await stepsOf('drill/b')).at(-1)).toMatchObject({ type: 'resolved', reason: 'DRILL: nobody has ended it in time; nothing was done' });
    expect(stage.applied).toBe(0);
  });

  it('is one also by hand, with a revision to blame, and only tells', async () => {
    const opened = await stage.calls.open({ target: null, queue: QUEUE, revision: 'v2', reason: 'to see', by: 'ada', dryRun: false, namespaces: 'all' });
    expect(opened).toMatchObject({ kind: 'done', incident: { steps: [{ reason: 'DRILL: to see', evidence: { target: null, dryRun: true, drill: true } }] } });
    const controller = stage.controller();
    while (await controller.step());
    expect([typesOf(await stage.steps()), stage.applied]).toEqual([['opened', 'would-have', 'resolved'], 0]);
  });
});
