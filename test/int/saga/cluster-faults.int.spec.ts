import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClusterCalls, KubernetesOrchestrator } from '#libs/kubernetes';
import { DEFAULT_POLICY } from '#libs/testing';
import { ApiServer, type ApiCall, type Trouble } from './api-server.js';
import { Stage, typesOf } from './stage.js';

const PER_MINUTE = 6;
const WITHIN_MS = 250;
const KEDA = 'autoscaling.keda.sh/paused';
const ROLLBACK = { ...DEFAULT_POLICY.rollback, target: 'shop/workers', approval: false, coolDownMs: 0, writesPerMinute: PER_MINUTE };

const writes = (trouble: Trouble) => ({ method }: ApiCall) => (method === 'PATCH' ? trouble : null);
const writesTo = (at: string, trouble: Trouble) => ({ method, resource }: ApiCall) => (method === 'PATCH' && resource === at ? trouble : null);
const looks = (at: string, trouble: Trouble) => ({ method, resource }: ApiCall) => (method === 'GET' && resource === at ? trouble : null);
/** The first calls that meet trouble do; then all is well. */
const first = (times: number, trouble: ApiServer['trouble']): ApiServer['trouble'] => {
  let left = times;
  return (call) => (left > 0 && trouble(call) !== null && left-- > 0 ? trouble(call) : null);
};
const INVALID = { status: 422, body: { message: 'spec is invalid', details: { causes: [{ field: 'spec' }] } } };

let stage: Stage;
let api: ApiServer;
const open = (scaleToZero: boolean) => async (): Promise<void> => {
  stage = await Stage.open({ rollback: { ...ROLLBACK, scaleToZero } });
  api = await ApiServer.start(() => stage.nowMs);
  const calls = new ClusterCalls({ server: api.url, options: () => Promise.resolve({}) }, WITHIN_MS);
  stage.cluster = { orchestrator: new KubernetesOrchestrator(calls), withinMs: 4 * WITHIN_MS };
};
afterEach(async () => {
  await api.stop();
  await stage.close();
});

describe('a run whose cluster does not do as it is told', () => {
  beforeEach(open(false));

  async function ended(trouble: ApiServer['trouble']): Promise<{ readonly type: string; readonly code: unknown }> {
    api.trouble = trouble;
    await stage.saturate('mails');
    const steps = await stage.drive(stage.controller());
    const types = typesOf(steps);
    // However it ends: one rollback at most, one isolation, and never more writes than the policy has.
    expect(types.filter((type) => type === 'rollback-begun').length).toBeLessThanOrEqual(1);
    expect(types.filter((type) => type === 'isolated')).toHaveLength(1);
    expect(steps.filter(({ evidence }) => evidence?.['intends'] === 'isolate')).toHaveLength(1);
    expect(api.taken.length).toBeLessThanOrEqual(1);
    expect(api.mostPerMinute).toBeLessThanOrEqual(PER_MINUTE);
    const last = steps.at(-1);
    return { type: last?.type ?? '', code: last?.evidence?.['code'] };
  }

  const wroteNothing = () => expect([api.taken, api.pool]).toEqual([[], { revision: 'v2', replicas: 3 }]);
  const wroteOnce = () => expect([api.taken, api.pool]).toEqual([['v1'], { revision: 'v1', replicas: 3 }]);

  it('is rolled back by one write where it does', async () => {
    expect(await ended(() => null)).toMatchObject({ type: 'resolved' });
    wroteOnce();
    expect(api.patches).toHaveLength(1);
  });

  it.each([
    ['409 to every write', writes({ status: 409 }), 'step_repeated', 6],
    ['422 to every write, since something else is there by then', writes({ status: 422 }), 'step_repeated', 6],
    ['422 to a write that it finds wrong', writes(INVALID), 'rejected', 1],
    ['429 to every write', writes({ status: 429, retryAfter: 3 }), 'step_repeated', 3],
    ['503 to every write', writes({ status: 503 }), 'step_repeated', 3],
    ['403 to every write', writes({ status: 403 }), 'forbidden', 1],
    ['nothing to any write', writes('hangs'), 'step_repeated', 3],
  ] as const)('ends with a person where it answers %s', async (_, trouble, code, patches) => {
    expect(await ended(trouble)).toEqual({ type: 'escalated', code });
    wroteNothing();
    expect(api.patches).toHaveLength(patches);
  });

  it.each([
    ['403 to a list', looks('pods', { status: 403 }), 'forbidden'],
    ['404 to the target', looks('deployments', { status: 404 }), 'not_found'],
    ['429 to every look', looks('deployments', { status: 429, retryAfter: 20 }), 'throttled'],
    ['nothing to a look', looks('replicasets', 'hangs'), 'timed_out'],
  ] as const)('ends with a person, and without a write, where it answers %s', async (_, trouble, code) => {
    expect(await ended(trouble)).toEqual({ type: 'escalated', code });
    wroteNothing();
    expect(api.patches).toEqual([]);
  });

  it.each([
    ['a conflict', first(1, writes({ status: 409 })), 2],
    ['three conflicts', first(3, writes({ status: 409 })), 4],
    ['an answer that is lost after it was done', first(1, writes('hangs-after-it')), 1],
  ] as const)('is rolled back all the same after %s', async (_, trouble, patches) => {
    expect(await ended(trouble)).toMatchObject({ type: 'resolved' });
    wroteOnce();
    expect(api.patches).toHaveLength(patches);
  });

  it('is written to again when it has said when, and not before', async () => {
    expect(await ended(first(1, writes({ status: 429, retryAfter: 40 })))).toMatchObject({ type: 'resolved' });
    wroteOnce();
    const [refused = 0, again = 0] = api.patches;
    expect(again - refused).toBeGreaterThanOrEqual(40_000);
  });

  it('is not written to more often by an approval that lets the run go on', async () => {
    expect(await ended(writes({ status: 409 }))).toEqual({ type: 'escalated', code: 'step_repeated' });
    const [{ id } = { id: '' }] = await stage.all();
    const steps = await stage.steps();
    await stage.calls.approve(id, { reason: 'once more', by: 'ada' });
    await stage.drive(stage.controller(), (all) => all.length > steps.length + 1 && all.at(-1)?.type === 'escalated');
    expect(api.patches.length).toBeGreaterThan(6);
    expect(api.mostPerMinute).toBeLessThanOrEqual(PER_MINUTE);
    wroteNothing();
  });
});

describe('a pool that is to be scaled to zero', () => {
  beforeEach(open(true));

  it.each([
    ['every write to the deployment conflicts', writesTo('deployments', { status: 409 }), 'step_repeated', null],
    ['every write to its scaler conflicts', writesTo('scaledobjects', { status: 409 }), 'step_repeated', null],
    ['the first four writes conflict', first(4, writes({ status: 409 })), undefined, 'true'],
  ])('is written to no more often, its scaler counted with it, where %s', async (_, trouble, code, paused) => {
    api.keda = {};
    api.trouble = trouble;
    await stage.saturate('mails');
    const steps = await stage.drive(stage.controller(), (all) => all.at(-1)?.type === 'escalated' || api.pool.replicas === 0);
    expect([steps.at(-1)?.evidence?.['code'], api.pool.replicas]).toEqual([code, code === undefined ? 0 : 3]);
    expect(api.mostPerMinute).toBeLessThanOrEqual(PER_MINUTE);
    expect(api.keda[KEDA] ?? null).toBe(paused);
  });
});
