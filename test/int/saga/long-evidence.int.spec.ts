import { afterEach, expect, it } from 'vitest';
import { cause, Stage, typesOf } from './stage.js';

const ROLLBACK = { target: null, scaleToZero: false, approval: false, coolDownMs: 0, writesPerMinute: 6, watchMs: 60_000, onAbort: 'lift' } as const;
let stage: Stage;
afterEach(() => stage.close());

/** As long as an id may be, and six characters for each of its own wherever it is written down. */
const ID = '\u0001'.repeat(2_048);
const poison = cause({
  ...{ cause: 'poison_job', subject: `default/mails/${ID}`, action: 'dead-letter' },
  evidence: Array.from({ length: 12 }, (_, i) => ({ says: `attempt ${String(i)} of ${ID} died with its worker`, figures: { job: `default/mails/${ID}`, died: i } })),
});

it('a poison job whose id is as long and as odd as may be is dead-lettered, and its run is over', async () => {
  stage = await Stage.open({ rollback: ROLLBACK });
  stage.assessed = poison;
  await stage.world.send({ type: 'queued', job: ID, queue: 'mails' });
  await stage.saturate('mails');
  const steps = await stage.drive(stage.controller());
  expect(typesOf(steps)).toEqual([...['opened', 'cause-assessed', 'intake-throttled', 'isolated', 'verified'], ...Array<string>(5).fill('readmitting'), 'resolved']);
  expect((await stage.world.job(ID)).status).toBe('dead-lettered');
  const told = steps.find(({ type }) => type === 'cause-assessed')?.evidence;
  expect(told).toMatchObject({ cause: 'poison_job', subject: `default/mails/${ID}`, plan: { does: 'dead-letter' }, leftOut: expect.stringMatching(/^\d+ characters$/u) as string });
  expect(Array.isArray(told?.['says'])).toBe(true);
});

it.each([
  ['cause-assessed', 'what it comes from'],
  ['opened', 'what it is about'],
])('a run that a step `%s` no longer tells %s goes to a person, once, and is not looked at for ever', async (type) => {
  stage = await Stage.open({ rollback: { ...ROLLBACK } });
  await stage.saturate('mails');
  const controller = stage.controller();
  await stage.drive(controller, (steps) => steps.some((step) => step.type === 'cause-assessed'));
  await stage.world.database.query(`UPDATE jobwarden.incident_steps SET evidence = '{"leftOut":"20000 characters of evidence"}' WHERE type = $1`, [type]);
  const steps = await stage.drive(stage.controller());
  expect(steps.at(-1)).toMatchObject({ type: 'escalated', evidence: { code: 'unreadable_step' } });
  for (let i = 0; i < 5; i += 1) {
    await stage.pass(60_000);
    expect(await stage.controller().step()).toBe(false);
  }
  expect(await stage.steps()).toHaveLength(steps.length);
  const [{ id } = { id: '' }] = await stage.all();
  expect(await stage.calls.approve(id, { reason: 'go on', by: 'ada' })).toMatchObject({ kind: 'refused' });
  await stage.incidents.resolveById(id, { reason: 'mended by hand', by: 'ada' });
  expect(await stage.controller().step()).toBe(false);
  expect(await stage.gate('mails')).toBe('open');
});
