import { expect, it } from 'vitest';
import { changesOf, sharesOf } from './changes-of';
import { incident, ROLL_BACK, run, steps } from './incident.fixture';
import { stagesOf } from './stages';

const states = (of: ReturnType<typeof incident>) => stagesOf(of).map(({ name, state }) => `${name} ${state}`);

it('shows where a rollback stands, and what is to come', () => {
  const waits = incident(steps(['opened'], ['cause-assessed', ROLL_BACK], ['approval-requested']), run('waiting-for-approval'));
  expect(states(waits)).toEqual([
    ...['opened done', 'cause done', 'approval now', 'throttled ahead', 'evidence ahead', 'isolated ahead'],
    ...['rollback ahead', 'restored ahead', 'verified ahead', 'readmitting ahead', 'end ahead'],
  ]);
});

it('passes over what has no target, and is done to the end', () => {
  const told = steps(['opened'], ['cause-assessed', ROLL_BACK], ['approved', {}, 'ada'], ['intake-throttled'], ['evidence-captured'], ['isolated'], ['rolled-back', { passedOver: 'no target' }], ['replicas-restored', { passedOver: 'nothing' }], ['verified'], ['readmitting', { percent: 100 }], ['resolved']);
  expect(states(incident(told, run('over', { target: null })))).toEqual(['opened', 'cause', 'approval', 'throttled', 'evidence', 'isolated', 'verified', 'readmitting', 'end'].map((name) => `${name} done`));
  expect(states(incident(told, run('over'))).filter((state) => state.endsWith('passed'))).toEqual(['rollback passed', 'restored passed']);
});

it('stops where it was escalated, and leaves out what is never reached', () => {
  const told = steps(['opened'], ['cause-assessed', ROLL_BACK], ['approved'], ['intake-throttled'], ['evidence-captured'], ['escalated', { code: 'not_refused_everywhere' }]);
  expect(states(incident(told, run('escalated'))).slice(4, 7)).toEqual(['evidence done', 'isolated stopped', 'rollback ahead']);
  expect(states(incident([...told, ...steps(['opened'], ['opened'], ['opened'], ['opened'], ['opened'], ['opened'], ['resolved']).slice(6)], run('over'))).slice(5)).toEqual([
    ...['isolated skipped', 'rollback skipped', 'restored skipped', 'verified skipped', 'readmitting skipped', 'end done'],
  ]);
});

it('tells of a plan that is only told, of a cause not known yet, and of incidents without a run', () => {
  const held = { ...ROLL_BACK, plan: { ...ROLL_BACK.plan, throttles: false, needsApproval: false, held: 'observe' } };
  expect(states(incident(steps(['opened'], ['cause-assessed', held], ['would-have']), run('waiting-for-calm')))).toEqual(['opened done', 'cause done', 'would-have done', 'calm now', 'end ahead']);
  expect(states(incident(steps(['opened']), run('assessing')))).toEqual(['opened done', 'cause now', 'end ahead']);
  expect(states(incident(steps(['opened'], ['noted'])))).toEqual(['opened done', 'end ahead']);
});

it('takes what was before from the announcement and what is after from the end of the same step', () => {
  const told = steps(['opened'], ['cause-assessed', ROLL_BACK], ['noted', { intends: 'isolate', before: { liveLeases: 31, refusedEverywhere: false } }], ['isolated', { after: { liveLeases: 0, refusedEverywhere: true, deep: {} } }]);
  const stage = stagesOf(incident(told, run('rolling-back'))).find(({ name }) => name === 'isolated');
  expect(changesOf(stage?.steps ?? [])).toEqual([
    { name: 'liveLeases', before: 31, after: 0 },
    { name: 'refusedEverywhere', before: false, after: true },
  ]);
});

it('lists the shares that were let in, and falls back', () => {
  expect(sharesOf(steps(['readmitting', { percent: 1 }], ['readmitting', { percent: 10 }], ['readmission-fell-back', { percent: 1 }], ['noted', { percent: 7 }]))).toEqual([
    { percent: 1, fellBack: false },
    { percent: 10, fellBack: false },
    { percent: 1, fellBack: true },
  ]);
});
