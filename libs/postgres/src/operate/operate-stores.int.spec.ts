import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  LevelOverrides,
  ManualClock,
  QuarantineCalls,
  StopSwitch,
  withOverrides,
  type ReplayResult,
} from '#libs/application';
import { fixedPolicies, useTestDatabase, World } from '#libs/testing';
import { QueueIds } from '../log/queue-ids.js';
import { PgClockStore, PgLevelStore, PgSwitchStore } from './pg-operate-stores.js';
import { PgQuarantineDesk } from './pg-quarantine-desk.js';

const queue = { namespace: 'default', queue: 'q' };
const ann = { reason: 'asked to', by: 'ann' };

describe('what operators set', () => {
  const database = useTestDatabase();
  let world: World;

  beforeAll(() => {
    world = new World(database.url, fixedPolicies({ idempotent: true }));
  });
  afterAll(async () => {
    await world.close();
  });

  describe('levels', () => {
    const levels = (file = fixedPolicies({ idempotent: true })) =>
      new LevelOverrides(new PgLevelStore(world.database, new QueueIds(world.database)), file);

    it('win over the file on every replica, until the file’s value changes', async () => {
      const [here, there] = [levels(), levels()];
      const set = await here.set(queue, { action: 'requeue', level: 'act', ...ann });
      expect(set).toMatchObject({ kind: 'set', levels: { requeue: 'act', retry: 'observe' } });
      await there.refresh();
      const file = fixedPolicies({ idempotent: true });
      expect(withOverrides(file, there).policyFor(queue, null).levels.requeue).toBe('act');
      expect(withOverrides(file, there).policyFor({ ...queue, queue: 'other' }, null).levels.requeue).toBe('observe');

      const changed = levels(fixedPolicies({ idempotent: true }, 'approve'));
      await changed.refresh();
      expect(changed.levelsFor(queue, fixedPolicies({}, 'approve').policyFor(queue, null).levels).requeue).toBe(
        'approve',
      );
    });

    it('are removed by the replica that saw the file change, so that they do not come back with it', async () => {
      let level: 'observe' | 'approve' = 'observe';
      const reloading = levels({
        version: '1',
        policyFor: (ref, kind) => fixedPolicies({ idempotent: true }, level).policyFor(ref, kind),
      });
      await reloading.set(queue, { action: 'retry', level: 'act', ...ann });
      await reloading.refresh();
      level = 'approve';
      await reloading.refresh();
      level = 'observe';
      await reloading.refresh();
      expect(reloading.of(queue).filter((o) => o.action === 'retry')).toEqual([]);
    });

    it('refuse to act where a job that runs twice would do harm, and without a reason', async () => {
      const unsafe = levels(fixedPolicies({ idempotent: false, claims: 'off' }));
      expect(await unsafe.set(queue, { action: 'requeue', level: 'act', ...ann })).toMatchObject({
        kind: 'refused',
        code: 'act_needs_safety',
      });
      expect(await unsafe.set(queue, { action: 'requeue', level: 'approve', ...ann })).toMatchObject({ kind: 'set' });
      expect(await unsafe.set(queue, { action: 'requeue', level: 'observe', reason: '', by: 'ann' })).toMatchObject({
        kind: 'refused',
      });
    });
  });

  it('the stop switch is one for all replicas, and keeps who used it and why', async () => {
    const [here, there] = [
      new StopSwitch(new PgSwitchStore(world.database)),
      new StopSwitch(new PgSwitchStore(world.database)),
    ];
    expect(await here.read()).toEqual({ enabled: true, reason: '', by: '' });
    expect(await here.set({ enabled: false, ...ann })).toEqual({ kind: 'set', actions: { enabled: false, ...ann, sinceMs: expect.any(Number) as number } });
    expect(await there.read()).toEqual({ enabled: false, ...ann, sinceMs: expect.any(Number) as number });
    expect((await world.clock.read()).actionsEnabled).toBe(false);
    expect(await there.set({ enabled: true, reason: '', by: 'bob' })).toMatchObject({ kind: 'refused' });
    await there.set({ enabled: true, ...ann });
  });

  it('the clock is refused where it is real, and never goes back where it is not', async () => {
    const clock = new ManualClock(new PgClockStore(world.database));
    expect(await clock.set(1_900_000_000_000)).toMatchObject({ kind: 'refused', code: 'clock_is_real' });
    await world.database.query(`UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = 0`);
    expect(await clock.set(5_000)).toEqual({ kind: 'set', nowMs: 5_000 });
    expect(await clock.set(5_000)).toEqual({ kind: 'set', nowMs: 5_000 });
    expect(await clock.set(4_999)).toMatchObject({ kind: 'refused', code: 'clock_goes_back', nowMs: 5_000 });
    expect(await clock.set(Number.NaN)).toMatchObject({ kind: 'refused', code: 'clock_absurd' });
    expect(await clock.read()).toEqual({ mode: 'manual', nowMs: 5_000 });
  });

  describe('quarantine', () => {
    async function quarantined(job: string): Promise<string> {
      await world.send({ type: 'succeeded', job, durationMs: 'soon' });
      const [row] = await world.database.query<{ id: number }>(
        `SELECT quarantine_id AS id FROM jobwarden.quarantine WHERE job_id = $1`,
        [job],
      );
      return String(row!.id);
    }

    function calls(answer: ReplayResult): QuarantineCalls {
      return new QuarantineCalls(new PgQuarantineDesk(world.database), (events) =>
        Promise.resolve(events.map(() => answer)),
      );
    }

    it('gives what was kept to intake again, and closes the entry once it is taken in', async () => {
      const id = await quarantined('mended');
      const seen: unknown[] = [];
      const replay = new QuarantineCalls(new PgQuarantineDesk(world.database), (events, context) => {
        seen.push(...events, context);
        return Promise.resolve([{ outcome: 'appended' }]);
      });
      expect(await replay.replay(id, ann)).toEqual({
        kind: 'closed',
        state: 'replayed',
        results: [{ outcome: 'appended' }],
      });
      expect(seen).toMatchObject([
        { subject: 'mended', data: { durationMs: 'soon' } },
        { replayOf: id, origin: 'test', lane: 0 },
      ]);
      expect(await replay.replay(id, ann)).toMatchObject({ kind: 'conflict', state: 'replayed' });
      expect(await new PgQuarantineDesk(world.database).one(id)).toMatchObject({ state: 'replayed' });
    });

    it('keeps it open with the newer reason while it still cannot be stored', async () => {
      const id = await quarantined('broken');
      const code = 'too_old';
      expect(await calls({ outcome: 'quarantined', code, detail: 'below the line' }).replay(id, ann)).toMatchObject({
        kind: 'still_open',
        reason: code,
      });
      expect(await new PgQuarantineDesk(world.database).one(id)).toMatchObject({
        state: 'open',
        reason: code,
        detail: 'below the line',
      });
      expect(await calls({ outcome: 'refused', code: 'superseded' }).replay(id, ann)).toMatchObject({ kind: 'closed' });
    });

    it('closes once when two operators dismiss at once', async () => {
      const id = await quarantined('twice');
      const dismissals = calls({ outcome: 'appended' });
      const both = await Promise.all([dismissals.dismiss(id, ann), dismissals.dismiss(id, { ...ann, by: 'bob' })]);
      expect(both.map((o) => o.kind).sort()).toEqual(['closed', 'conflict']);
    });

    it('knows no entry under a name that is none', async () => {
      expect(await calls({ outcome: 'appended' }).dismiss('none', ann)).toEqual({ kind: 'not_found' });
      expect(await calls({ outcome: 'appended' }).replay('999999', ann)).toEqual({ kind: 'not_found' });
    });
  });
});
