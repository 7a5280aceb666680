import { afterEach, describe, expect, it } from 'vitest';
import { TakeAlerts } from '#libs/application';
import { DEFAULT_POLICY } from '#libs/testing';
import { Stage, TARGET, typesOf } from './stage.js';

const STARTS = '2026-01-05T08:00:00.123456789Z';

describe('alerts of several peers', () => {
  const stages: Stage[] = [];
  afterEach(async () => {
    for (const stage of stages.splice(0)) await stage.close();
  });

  it('told five times by each, twice after it was resolved, are one incident and one rollback; one that begins anew in the cool-down is put off (J4)', async () => {
    const stage = await Stage.open({ rollback: { ...DEFAULT_POLICY.rollback, target: TARGET, approval: false } });
    stages.push(stage);
    await stage.world.send({ type: 'queued', job: 'j', queue: 'mails' });
    const take = new TakeAlerts({ store: stage.signals, counted: () => undefined, told: () => undefined, truncated: () => undefined });
    const post = async (status: string, startsAt = STARTS) => {
      const alert = { status, startsAt, fingerprint: 'f', labels: { queue: 'mails', action: 'trigger-rollback' }, annotations: { ratio: '0.4' } };
      const taken = await take.take({ version: '4', alerts: [alert] }, 'all');
      if (taken.kind === 'refused') throw new Error(taken.detail);
      return taken.results.map(({ outcome }) => outcome);
    };
    const peers = async (status: string) => await Promise.all([1, 2, 3].map(async () => await post(status)));
    const controllers = [stage.controller(), stage.controller()];
    await Promise.all([peers('firing'), peers('firing'), peers('firing')]);
    await Promise.all(controllers.map((controller) => controller.step()));
    await stage.drive(controllers[0] ?? stage.controller(), (steps) => steps.some(({ type }) => type === 'isolated'));
    await peers('resolved');
    expect([...(await peers('firing')), ...(await peers('firing'))].flat()).toEqual(Array.from({ length: 6 }, () => 'repeated'));
    const steps = await stage.drive(controllers[0] ?? stage.controller());
    expect(steps.at(-1)?.type).toBe('resolved');
    expect((await stage.all()).map(({ subject }) => subject)).toEqual([TARGET]);
    expect([stage.applied, typesOf(steps).filter((type) => type === 'rollback-begun').length]).toEqual([1, 1]);

    expect(await post('firing', '2026-01-05T09:00:00Z')).toEqual(['signal']);
    for (const controller of controllers) while (await controller.step());
    expect((await stage.told()).map(([settled]) => settled)).toEqual([null, 'cool_down']);
    expect(stage.putOff).toEqual([expect.stringMatching(/^simulated:workers: incident \d+ rolled it back/u)]);
    expect([(await stage.all()).length, stage.applied]).toEqual([1, 1]);
  });
});
