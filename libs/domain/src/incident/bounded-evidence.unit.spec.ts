import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cause, fails, RunWorld } from '../saga/run.fixture.js';
import { sagaOf } from '../saga/saga-of.js';
import { boundedEvidence } from './bounded-evidence.js';
import type { IncidentStep } from './incident.js';

const size = (value: unknown): number => JSON.stringify(value).length;

describe('evidence of a step', () => {
  it('that fits is left as it is', () => {
    const evidence = { says: ['a', 'b'], figures: { n: 1 } };
    expect(boundedEvidence(evidence, size(evidence))).toBe(evidence);
    expect(boundedEvidence(evidence, size(evidence) - 1)).not.toEqual(evidence);
  });

  it('loses what is voluminous, and each member stays of its kind', () => {
    const evidence = {
      ...{ code: 'rollout_deadline', ratio: 0.4, note: 'short', dump: 'y'.repeat(50_000) },
      ...{ pods: Array.from({ length: 900 }, (_, i) => ({ name: `workers-${String(i)}`, reason: 'CrashLoopBackOff' })), stacks: { first: 'z'.repeat(50_000), lines: 12 } },
    };
    const cut = boundedEvidence(evidence, 4_000);
    expect(size(cut)).toBeLessThanOrEqual(4_000);
    expect(size(cut)).toBeGreaterThan(3_000);
    expect(cut).toMatchObject({ code: 'rollout_deadline', ratio: 0.4, note: 'short', stacks: { lines: 12 } });
    expect(cut['pods']).toEqual(evidence.pods.slice(0, (cut['pods'] as unknown[]).length));
    expect((cut['pods'] as unknown[]).length).toBeGreaterThan(10);
    expect(cut['dump']).toMatch(/^y{500,}…$/u);
    expect(cut['leftOut']).toMatch(/^\d{6} characters$/u);
    expect(Object.keys(cut)).toEqual([...Object.keys(evidence), 'leftOut']);
  });

  it('keeps whole what its run goes by, however long an id is, and cuts the sentences within', () => {
    const subject = `default/mails/${'\u0001'.repeat(2_048)}`;
    const plan = { does: 'nothing', throttles: false, needsApproval: false, held: null, refused: { code: 'cause_unknown', why: 'w'.repeat(9_000) } };
    const cut = boundedEvidence({ cause: 'poison_job', subject, says: Array(12).fill({ says: subject }), plan }, 16_384);
    expect(cut).toMatchObject({ cause: 'poison_job', subject, plan: { ...plan, refused: { code: 'cause_unknown', why: expect.stringMatching(/^w{1900,}…$/u) as string } } });
    const because = { code: 'rollout_deadline', reason: 'r'.repeat(9_000), evidence: { pods: Array(5_000).fill('workers-1') } };
    const told = boundedEvidence({ intends: 'put-back', deadlineMs: 7, because }, 16_384);
    expect(told).toMatchObject({ intends: 'put-back', deadlineMs: 7, because: { code: 'rollout_deadline', evidence: { pods: expect.arrayContaining(['workers-1']) as string[] } } });
    expect(size(told)).toBeLessThan(16_384);
  });

  it('is within its bound and of the same members, whatever it holds', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,8}X$/u), fc.jsonValue({ maxDepth: 4 }), { minKeys: 1, maxKeys: 8 }), fc.string({ unit: 'binary', maxLength: 400 }), (drawn, text) => {
        const evidence = { ...drawn, text, list: [drawn, text, drawn] };
        const cut = boundedEvidence(evidence, 1_000);
        if (cut === evidence) return;
        expect(size(cut)).toBeLessThanOrEqual(1_000 + 40 * Object.keys(evidence).length);
        expect(Object.keys(cut)).toEqual([...Object.keys(evidence), 'leftOut']);
        expect(JSON.stringify(cut)).not.toMatch(/\\ud[89ab][0-9a-f]{2}"/u);
      }),
    );
  });
});

/** Where it stands, but for what is only told to people. */
const forPeople = (name: string, value: unknown): unknown => {
  if (name === 'queues') return [];
  return ['wall', 'leftOut', 'signals'].includes(name) || (name === 'evidence' && typeof value === 'object') ? undefined : value;
};
const machineRead = (steps: readonly IncidentStep[]): unknown => JSON.parse(JSON.stringify(sagaOf(steps), forPeople));

describe('a run whose evidence is cut to what it goes by', () => {
  const runs: Readonly<Record<string, () => RunWorld>> = {
    'is rolled back': () => new RunWorld(),
    'is scaled to zero, with its scaler': () => {
      const world = new RunWorld({}, { scaleToZero: true });
      world.workload = { ...world.workload, scaler: { kind: 'keda', name: 'workers', min: 1, max: 10, paused: false } };
      return world;
    },
    'fails and is put back': () => {
      const world = new RunWorld({}, { scaleToZero: true });
      world.fault = (at) => (at === 'write' && world.writes.length > 1 ? fails('conflict') : null);
      return world;
    },
    'has nothing healthy to go back to': () => {
      const world = new RunWorld({}, { scaleToZero: true });
      world.healthy = [];
      return world;
    },
    'dead-letters': () => {
      const world = new RunWorld();
      world.assessed = cause({ cause: 'poison_job', subject: 'mails/17', action: 'dead-letter' });
      return world;
    },
    'falls back': () => {
      const world = new RunWorld();
      world.run({ until: (w) => w.standing.readmit?.step === 2 });
      world.failRatio = 0.4;
      return world;
    },
    'waits for approval': () => new RunWorld({}, { approval: true }),
    'only would have': () => new RunWorld({ source: 'person', revision: 'v2', dryRun: true }),
    'cannot be looked at for a while': () => {
      const world = new RunWorld();
      world.fault = (at) => (at === 'look' && world.nowMs < 1_030_000 ? fails('unreachable') : null);
      return world;
    },
    'stands still': () => {
      const world = new RunWorld();
      world.run({ until: (w) => w.types.includes('rollback-begun') });
      world.actionsOn = false;
      return world;
    },
  };

  it.each(Object.entries(runs))('and that %s stands at each step as it did before', (_, opened) => {
    const world = opened();
    world.run();
    world.actionsOn = true;
    if (!world.standing.over) world.says('aborted');
    world.run();
    const cut = world.steps.map((step) => (step.evidence === undefined ? step : { ...step, evidence: boundedEvidence({ ...step.evidence, wall: 'x'.repeat(9_000) }, 1) }));
    expect(cut.length).toBeGreaterThan(3);
    for (let n = 1; n <= cut.length; n += 1) {
      expect(machineRead(cut.slice(0, n))).toEqual(machineRead(world.steps.slice(0, n)));
    }
  });
});
