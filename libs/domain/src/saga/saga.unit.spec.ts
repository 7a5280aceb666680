import { describe, expect, it } from 'vitest';
import { cause, fails, RunWorld } from './run.fixture.js';

const last = (world: RunWorld) => world.steps.at(-1);
const code = (world: RunWorld) => last(world)?.evidence?.['code'];

describe('a run against a bad revision', () => {
  it('isolates it, gives the target what proved healthy with the replicas of before, and lets intake in by steps', () => {
    const world = new RunWorld();
    expect(world.run()).toBe('over');
    expect(world.types.filter((type) => type !== 'noted')).toEqual([
      ...['opened', 'cause-assessed', 'intake-throttled', 'evidence-captured', 'isolated', 'rollback-begun', 'rolled-back', 'replicas-restored'],
      ...['verified', 'readmitting', 'readmitting', 'readmitting', 'readmitting', 'readmitting', 'resolved'],
    ]);
    expect(world.workload).toMatchObject({ revision: 'v1', wanted: 3, available: 3 });
    expect(world.writes).toHaveLength(1);
    expect(world.percent).toBeNull();
    expect([...world.refused]).toEqual(['v2']);
    const steps = world.steps.filter((s) => s.type === 'readmitting').map((s) => s.evidence?.['percent']);
    expect(steps).toEqual([1, 10, 25, 50, 100]);
  });

  it('says before each act what it is about to do, and what stands before it', () => {
    const world = new RunWorld();
    world.run();
    const begun = world.steps.find((s) => s.type === 'rollback-begun');
    expect(begun?.evidence).toMatchObject({ before: { revision: 'v2', replicas: 3 }, after: { revision: 'v1', replicas: 3 }, snapshot: { replicas: 3 } });
    const intends = world.steps.flatMap((s) => s.evidence?.['intends'] ?? []);
    expect(intends).toEqual(['throttle', 'capture-evidence', 'isolate', 'lift']);
  });

  it('tells of one queue in the singular, and of what it comes from in words with the code behind', () => {
    const world = new RunWorld();
    world.run();
    const said = world.steps.map((s) => s.reason);
    expect(said).toContainEqual(expect.stringMatching(/^a bad revision: v2, \d+ % sure$/u));
    for (const sentence of ['1 queue is about to let in 1 % of what is normal', '1 queue lets in 1 % of what is normal', '1 queue lets everything in again']) expect(said).toContain(sentence);
    expect(said.filter((sentence) => /\b1 [a-z]+s\b(?! %)/u.test(sentence))).toEqual([]);
  });

  it('is restored to as many replicas as there were at the trigger, whatever a manifest says', () => {
    const world = new RunWorld();
    world.workload = { ...world.workload, wanted: 10, replicas: 10, updated: 10, available: 10, releases: world.workload.releases.map((r) => ({ ...r, desiredReplicas: 4 })) };
    world.run();
    expect(world.workload).toMatchObject({ revision: 'v1', wanted: 10 });
  });

  it('of a target that somebody has at 0 replicas leaves it there', () => {
    const world = new RunWorld();
    world.workload = { ...world.workload, wanted: 0, replicas: 0, updated: 0, available: 0, pods: [] };
    world.run();
    expect(world.writes).toEqual([]);
    expect(world.steps.find((s) => s.type === 'rolled-back')?.reason).toMatch(/^passed over: shop\/workers is scaled to 0/u);
    expect(world.types).not.toContain('rollback-begun');
  });

  it('without a target isolates by refusing alone, and says what it passes over', () => {
    const world = new RunWorld({ target: null });
    expect(world.run()).toBe('over');
    expect(world.writes).toEqual([]);
    expect(world.steps.filter((s) => s.reason.startsWith('passed over')).map((s) => s.type)).toEqual(['rolled-back', 'replicas-restored']);
    expect(world.types).toContain('verified');
  });

  it('goes on with the rollback where its leases run on, and tells of isolation once it is true', () => {
    const world = new RunWorld();
    world.leasesUntilMs = Infinity;
    expect(world.run()).toBe('over');
    expect(world.types.indexOf('isolated')).toBeGreaterThan(world.types.indexOf('replicas-restored'));
    const alone = new RunWorld({ target: null });
    alone.leasesUntilMs = Infinity;
    expect(alone.run()).toBe('rest');
    expect(code(alone)).toBe('leases_run_on');
  });

  it('waits for a replica that does not read for a minute, and refuses no more than three times', () => {
    const world = new RunWorld();
    world.refusesAfterMs = 50_000;
    expect(world.run()).toBe('over');
    const never = new RunWorld();
    never.refusesAfterMs = Infinity;
    never.run();
    expect(code(never)).toBe('not_refused_everywhere');
    expect(never.writes).toEqual([]);
  });

  it('has the evidence of a worker for twenty seconds, and then goes on without', () => {
    const world = new RunWorld();
    world.evidenceMs = 0;
    world.run({ until: (w) => w.types.includes('evidence-captured') });
    const [asked, told] = [world.steps.find((s) => s.evidence?.['intends'] === 'capture-evidence'), last(world)];
    expect(told?.evidence).toEqual({ outcome: 'timed-out' });
    expect((told?.atMs ?? 0) - (asked?.atMs ?? 0)).toBe(20_000);
    expect(world.run()).toBe('over');
  });

  it('does not roll back what has run for a day: that is the stable one', () => {
    const world = new RunWorld();
    world.firstSeenMs = world.nowMs - 24 * 3_600_000;
    expect(world.run()).toBe('rest');
    expect(code(world)).toBe('no_recent_deploy');
    expect(world.writes).toEqual([]);
    expect(world.refused.size).toBe(0);
  });

  it('escalates where nothing proved healthy, before anything is written', () => {
    const world = new RunWorld({}, { scaleToZero: true });
    world.healthy = ['v2'];
    world.run();
    expect(code(world)).toBe('no_stable_revision');
    expect(world.writes).toEqual([]);
    expect(world.workload.wanted).toBe(3);
    expect([...world.refused]).toEqual(['v2']);
  });

  it('escalates with the reasons of the pods where the release does not come up in time', () => {
    const world = new RunWorld();
    world.lagMs = Infinity;
    world.run({ until: (w) => w.types.includes('rolled-back') });
    const reasons = ['CrashLoopBackOff', 'ImagePullBackOff', 'CrashLoopBackOff'];
    world.workload = { ...world.workload, pods: reasons.map((reason, i) => ({ name: `workers-v1-${String(i)}`, revision: 'v1', ready: false, terminating: false, reason })) };
    world.run();
    expect(code(world)).toBe('rollout_deadline');
    expect(last(world)?.evidence?.['pods']).toEqual(reasons.map((reason, i) => `workers-v1-${String(i)} (v1): ${reason}`));
    const begun = world.steps.findLast((s) => s.type === 'rollback-begun');
    expect((last(world)?.atMs ?? 0) - (begun?.atMs ?? 0)).toBe(120_000);
    expect(world.writes).toHaveLength(1);
  });

  it('asks a person where work goes on failing without it', () => {
    const world = new RunWorld();
    world.failRatio = 0.5;
    world.run();
    expect(code(world)).toBe('still_failing');
    const quiet = new RunWorld();
    quiet.rate = 0;
    quiet.run();
    expect(code(quiet)).toBe('no_sample');
  });
});

describe('somebody else at the target', () => {
  const until = (w: RunWorld) => w.types.includes('verified');

  it('who puts the bad release back is answered once, and then named', () => {
    const world = new RunWorld();
    world.run({ until });
    world.written('argocd-controller', { releaseId: 'workers-v2' });
    world.run({ until: (w) => w.types.filter((t) => t === 'verified').length === 2 });
    expect(world.workload.revision).toBe('v1');
    world.written('argocd-controller', { releaseId: 'workers-v2' });
    expect(world.run()).toBe('rest');
    expect(last(world)).toMatchObject({ type: 'escalated', evidence: { code: 'gitops_conflict', manager: 'argocd-controller' } });
    expect(last(world)?.reason).toContain('v2 stays refused');
    expect(world.writes).toHaveLength(2);
    expect([...world.refused]).toEqual(['v2']);
  });

  it('who deploys a third release is not fought', () => {
    const world = new RunWorld();
    world.run({ until });
    world.written('ci', { releaseId: 'workers-v0' });
    world.run();
    expect(last(world)?.evidence).toMatchObject({ code: 'release_changed', manager: 'ci' });
    expect(world.writes).toHaveLength(1);
  });

  it.each([10_000, 240_000])('is seen for as long after the rollback as the policy says, before the incident is over', (watchMs) => {
    const world = new RunWorld({}, { levels: { throttle: 'observe', rollback: 'act', deadLetter: 'act' }, watchMs });
    expect(world.run()).toBe('over');
    const written = world.steps.find((s) => s.type === 'rolled-back');
    const tookMs = (last(world)?.atMs ?? 0) - (written?.atMs ?? 0);
    expect(tookMs).toBeGreaterThan(watchMs);
    expect(tookMs).toBeLessThan(watchMs + 20_000);
    expect(world.types).not.toContain('intake-throttled');
  });

  it('who has gone on already leaves nothing to roll back', () => {
    const world = new RunWorld();
    world.run({ until: (w) => w.types.includes('isolated') });
    world.written('ada', { releaseId: 'workers-v1' });
    expect(world.run()).toBe('over');
    expect(world.writes).toEqual([]);
    expect(world.steps.find((s) => s.type === 'rolled-back')?.reason).toContain('somebody has gone on');
  });
});

describe('a pool that is scaled to zero', () => {
  const toZero = { scaleToZero: true };

  it('is held there for three looks over 15 s, and gets back what it had', () => {
    const world = new RunWorld({}, toZero);
    expect(world.run()).toBe('over');
    const looks = world.steps.filter((s) => s.evidence?.['zeroLook'] !== undefined);
    const empty = looks.filter((s) => (s.evidence?.['zeroLook'] as { pods: number }).pods === 0);
    expect(empty.length).toBeGreaterThanOrEqual(3);
    expect((empty.at(-1)?.atMs ?? 0) - (empty[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(15_000);
    expect(world.workload).toMatchObject({ revision: 'v1', wanted: 3, available: 3 });
    expect(world.writes).toHaveLength(2);
  });

  it('that somebody scales up again is an escalation that names them, and the replicas are as before', () => {
    const world = new RunWorld({}, toZero);
    world.run({ until: (w) => w.steps.some((s) => s.evidence?.['zeroLook'] !== undefined) });
    world.written('hpa-controller', { replicas: 2 });
    world.run();
    expect(last(world)?.evidence).toMatchObject({ code: 'isolation_bounced', manager: 'hpa-controller' });
    expect(world.workload.wanted).toBe(3);
  });

  it('has its replicas again before a person goes on', () => {
    const world = new RunWorld({}, toZero);
    world.run({ until: (w) => w.types.includes('isolated') });
    world.healthy = [];
    expect(world.run()).toBe('rest');
    expect(code(world)).toBe('no_stable_revision');
    expect(world.workload).toMatchObject({ revision: 'v2', wanted: 3 });
  });

  it('of KEDA has both of its annotations gone at the end, however it ends', () => {
    const scaler = { kind: 'keda', name: 'workers', min: 1, max: 10, paused: false } as const;
    const world = new RunWorld({}, toZero);
    world.workload = { ...world.workload, scaler };
    world.run({ until: (w) => w.types.includes('isolated') });
    expect(world.workload.scaler?.paused).toBe(true);
    expect(world.run()).toBe('over');
    expect(world.workload).toMatchObject({ revision: 'v1', wanted: 3, scaler: { paused: false } });
    const other = new RunWorld({}, toZero);
    other.workload = { ...other.workload, scaler };
    other.run({ until: (w) => w.types.includes('isolated') });
    other.says('aborted');
    expect(other.run()).toBe('over');
    expect(other.workload).toMatchObject({ revision: 'v2', wanted: 3, scaler: { paused: false } });
  });
});

describe('other causes', () => {
  it('poison: the job is dead-lettered, nothing is rolled back', () => {
    const world = new RunWorld();
    world.assessed = cause({ cause: 'poison_job', subject: 'mails/17', action: 'dead-letter' });
    expect(world.run()).toBe('over');
    expect(world.deadLettered).toEqual(['mails/17']);
    expect([world.writes.length, world.refused.size]).toEqual([0, 0]);
  });

  it('an outage: intake is throttled until the signal is over, and comes back in steps', () => {
    const world = new RunWorld();
    world.assessed = cause({ cause: 'downstream_outage', subject: 'smtp', action: 'throttle' });
    world.run({ forMs: 600_000 });
    expect(world.types.filter((t) => t !== 'noted')).toEqual(['opened', 'cause-assessed', 'intake-throttled']);
    expect(world.percent).toBe(1);
    world.signalStands = false;
    expect(world.run()).toBe('over');
    expect(world.percent).toBeNull();
    expect([world.writes.length, world.refused.size]).toEqual([0, 0]);
  });

  it('an outage that goes on for an hour is a person’s', () => {
    const world = new RunWorld();
    world.assessed = cause({ cause: 'downstream_outage', subject: 'smtp', action: 'throttle' });
    world.run();
    expect(code(world)).toBe('still_saturated');
  });

  it('unknown: looked at three times, then a person’s, and nothing is done', () => {
    const world = new RunWorld();
    world.assessed = cause({ cause: 'unknown', subject: null, action: 'escalate', confidence: 0 });
    expect(world.run()).toBe('rest');
    expect(world.types.filter((t) => t === 'cause-assessed')).toHaveLength(3);
    expect(code(world)).toBe('cause_unknown');
    expect([world.writes.length, world.refused.size, world.percent]).toEqual([0, 0, null]);
    world.assessed = cause();
    world.says('approved');
    expect(world.run()).toBe('over');
  });
});

describe('readmission', () => {
  it('falls back by a step when failures rise, and ends with a person after so many falls', () => {
    const world = new RunWorld();
    world.run({ until: (w) => w.standing.readmit?.step === 2 });
    world.failRatio = 0.4;
    world.run({ until: (w) => w.types.includes('readmission-fell-back') });
    expect(last(world)?.evidence).toMatchObject({ step: 1, percent: 10, falls: 1 });
    world.run();
    expect(code(world)).toBe('readmission_failed');
    expect(world.types.filter((t) => t === 'readmission-fell-back')).toHaveLength(2);
    expect(world.percent).toBe(1);
  });

  it('goes on where failures are over after one fall', () => {
    const world = new RunWorld();
    world.run({ until: (w) => w.standing.readmit?.step === 3 });
    world.failRatio = 0.4;
    world.run({ until: (w) => w.types.includes('readmission-fell-back') });
    world.failRatio = 0;
    expect(world.run()).toBe('over');
  });
});

describe('a person', () => {
  it('approves before anything is done, having seen the plan', () => {
    const world = new RunWorld({}, { approval: true });
    world.run({ forMs: 60_000 });
    expect(last(world)).toMatchObject({ type: 'approval-requested' });
    expect(last(world)?.evidence?.['plan']).toContain('give shop/workers the release of v1, with 3 replicas as now');
    expect([world.writes.length, world.refused.size, world.percent]).toEqual([0, 0, null]);
    world.says('approved');
    expect(world.run()).toBe('over');
    expect(world.workload.revision).toBe('v1');
  });

  it('who does not answer within the hour is paged again, and may still approve', () => {
    const world = new RunWorld({}, { approval: true });
    expect(world.run()).toBe('rest');
    expect(code(world)).toBe('not_approved');
    world.says('approved');
    expect(world.run()).toBe('over');
  });

  it('is not asked any more once the signal is over', () => {
    const world = new RunWorld({}, { approval: true });
    world.run({ forMs: 60_000 });
    world.signalStands = false;
    expect(world.run()).toBe('over');
    expect(world.refused.size).toBe(0);
  });

  it('who names the revision is not asked, and no level holds it back', () => {
    const world = new RunWorld({ source: 'person', revision: 'v2' }, { approval: true, levels: { throttle: 'observe', rollback: 'observe', deadLetter: 'observe' } });
    world.assessed = null;
    expect(world.run()).toBe('over');
    expect(world.workload.revision).toBe('v1');
  });

  it('aborts: the throttle goes, and what stays is told', () => {
    const world = new RunWorld();
    world.run({ until: (w) => w.types.includes('isolated') });
    world.says('aborted');
    expect(world.run()).toBe('over');
    expect(world.percent).toBeNull();
    expect(last(world)?.evidence?.['leaves']).toEqual(['v2 stays refused']);
    const keeps = new RunWorld({}, { onAbort: 'keep' });
    keeps.run({ until: (w) => w.types.includes('isolated') });
    keeps.says('aborted');
    keeps.run();
    expect(keeps.percent).toBe(1);
  });

  it('approves what was escalated: it goes on where it stands, with its whole time again', () => {
    const world = new RunWorld();
    world.lagMs = Infinity;
    world.run();
    expect(code(world)).toBe('rollout_deadline');
    world.lagMs = 0;
    world.written('kubelet', {});
    world.pass(1);
    world.workload = { ...world.workload, observedGeneration: world.workload.generation, replicas: 3, updated: 3, available: 3, pods: [] };
    world.says('approved');
    expect(world.run()).toBe('over');
    expect(world.writes).toHaveLength(1);
  });
});

describe('at observe, or as a dry run', () => {
  it('the plan is told and nothing is done; it is over with the signal', () => {
    const world = new RunWorld({}, { levels: { throttle: 'observe', rollback: 'observe', deadLetter: 'observe' } });
    world.run({ forMs: 60_000 });
    expect(last(world)).toMatchObject({ type: 'would-have', evidence: { why: 'observe' } });
    world.signalStands = false;
    expect(world.run()).toBe('over');
    expect([world.writes.length, world.refused.size, world.percent, world.tries.size]).toEqual([0, 0, null, 0]);
  });

  it('a dry run is over at once', () => {
    const world = new RunWorld({ source: 'person', revision: 'v2', dryRun: true });
    expect(world.run({ forMs: 0 })).toBe('over');
    expect(world.types).toEqual(['opened', 'cause-assessed', 'would-have', 'resolved']);
    expect(world.tries.size).toBe(0);
  });
});

describe('the stop switch', () => {
  it('stops every act, tells what it comes from all the same, and time stands still', () => {
    const world = new RunWorld();
    world.run({ until: (w) => w.types.includes('rollback-begun') });
    world.actionsOn = false;
    const tried = world.tries.size;
    world.run({ forMs: 3_600_000 });
    expect(last(world)?.evidence).toEqual({ held: true });
    expect(world.tries.size).toBe(tried);
    world.actionsOn = true;
    expect(world.run()).toBe('over');
    const off = new RunWorld();
    off.actionsOn = false;
    off.run({ forMs: 60_000 });
    expect(off.types).toEqual(['opened', 'cause-assessed', 'noted']);
  });
});

describe('a cluster that does not do as it is told', () => {
  it.each(['forbidden', 'rejected', 'not_found', 'unsupported'])('%s: told at once, without another try', (what) => {
    const world = new RunWorld();
    world.fault = (at) => (at === 'write' ? fails(what) : null);
    world.run();
    expect(code(world)).toBe(what);
    expect(world.writes).toHaveLength(1);
    expect([...world.refused]).toEqual(['v2']);
  });

  it.each(['conflict', 'unreachable', 'timed_out', 'throttled'])('%s: tried three times, and then a person’s', (what) => {
    const world = new RunWorld();
    world.fault = (at) => (at === 'write' ? fails(what) : null);
    world.run();
    expect(code(world)).toBe('step_repeated');
    expect(world.writes).toHaveLength(3);
  });

  it.each(['forbidden', 'not_found', 'unsupported', 'rejected'])('%s at the first look at it: told at once, and nothing is written or isolated twice', (what) => {
    for (const policy of [{}, { scaleToZero: true }]) {
      const world = new RunWorld({}, policy);
      world.fault = (at) => (at === 'look' ? fails(what) : null);
      expect(world.run()).toBe('rest');
      expect(last(world)).toMatchObject({ type: 'escalated', evidence: { code: what } });
      expect([world.writes, [...world.refused], world.workload.wanted]).toEqual([[], ['v2'], 3]);
      const isolates = world.steps.filter((s) => s.evidence?.['intends'] === 'isolate');
      expect(isolates).toHaveLength(1);
      expect(world.tries.get(isolates[0]?.n ?? 0)).toHaveLength(1);
      expect(world.types.filter((type) => ['isolated', 'escalated', 'rollback-begun'].includes(type))).toEqual(policy.scaleToZero === true ? ['escalated'] : ['isolated', 'escalated']);
      // No look more than the one that found it.
      expect((last(world)?.atMs ?? 0) - (world.steps.at(-2)?.atMs ?? 0)).toBeLessThanOrEqual(1_000);
    }
  });

  it('is asked again when it said so', () => {
    const world = new RunWorld();
    let refusals = 1;
    world.fault = (at) => (at === 'write' && refusals-- > 0 ? fails('throttled', { retryAfterMs: 40_000 }) : null);
    expect(world.run()).toBe('over');
    expect((world.writes[1] ?? 0) - (world.writes[0] ?? 0)).toBe(40_000);
  });

  it('cannot be looked at: told once, looked at for a while, then a person’s', () => {
    const world = new RunWorld();
    world.fault = (at) => (at === 'look' ? fails('unreachable') : null);
    world.run();
    expect(code(world)).toBe('unreachable');
    expect(world.steps.filter((s) => s.evidence?.['lookFault'] !== undefined)).toHaveLength(1);
    const well = new RunWorld();
    well.fault = (at) => (at === 'look' && well.nowMs < 1_030_000 ? fails('unreachable') : null);
    expect(well.run()).toBe('over');
  });
});
