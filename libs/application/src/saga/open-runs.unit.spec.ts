import { describe, expect, it } from 'vitest';
import type { ActedRun } from '#libs/domain';
import { DEFAULT_POLICY, fixedPolicies } from '#libs/testing';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { Signal } from '../ports/signal-store.port.js';
import { OpenRuns } from './open-runs.js';
import { QueuesOfRun } from './queues-of-run.js';

const NOW = 1_000_000_000;
const TARGET = 'simulated:workers';

const signal = (queue: string): Signal =>
  ({ id: queue, source: 'evaluator', fingerprint: queue, namespace: 'default', queue, startsMs: NOW, seenMs: NOW, figures: {} }) as unknown as Signal;

/** By queue: its target, and how long its cool-down is. */
function policiesOf(of: Readonly<Record<string, readonly [target: string | null, coolDownMs: number]>>): PolicySource {
  const base = fixedPolicies({});
  return {
    version: '1',
    policyFor: (ref, kind) => {
      const [target, coolDownMs] = of[ref.queue] ?? [null, 0];
      const found = base.policyFor(ref, kind);
      return { ...found, policy: { ...found.policy, rollback: { ...DEFAULT_POLICY.rollback, target, coolDownMs } } };
    },
  };
}

async function looked(queues: readonly string[], policies: PolicySource, acted: readonly ActedRun[]) {
  const settled: Record<string, number> = {};
  const assigned: string[] = [];
  const runs = { nowMs: () => Promise.resolve(NOW), queues: () => Promise.resolve([]), acted: () => Promise.resolve(acted), join: () => Promise.resolve(0), knownQueues: () => Promise.resolve([]) };
  const opens = new OpenRuns({
    ...{ runs, policies, queuesOf: new QueuesOfRun(runs, policies), causes: { common: () => Promise.reject(new Error('the log is away')) } },
    signals: {
      open: () => Promise.resolve(queues.map(signal)),
      assign: (ids) => Promise.resolve(void assigned.push(...ids)),
      settle: (ids, _, until) => {
        for (const id of ids) settled[id] = (until?.ms ?? 0) - NOW;
        return Promise.resolve();
      },
    },
    incidents: { openOnes: () => Promise.resolve([]), openOn: () => Promise.resolve({ incident: { id: '9' } }) } as unknown as ConstructorParameters<typeof OpenRuns>[0]['incidents'],
  });
  const failed = await opens.step().then(() => null, (error: unknown) => String(error));
  return { settled, assigned: assigned.sort(), failed };
}

describe('signals of one target', () => {
  const run: ActedRun = { incidentId: '1', subject: TARGET, found: null, open: false, did: 'rollback-begun', atMs: NOW - 1_000, queues: [] };

  it.each([[['a', 'b']], [['b', 'a']]])('in the order %j are put off each by its own cool-down', async (queues) => {
    expect((await looked(queues, policiesOf({ a: [TARGET, 60_000], b: [TARGET, 90_000] }), [run])).settled).toEqual({ a: 59_000, b: 89_000 });
  });

  it.each([[['a', 'b']], [['b', 'a']]])('in the order %j are all taken by what one of them opens', async (queues) => {
    expect(await looked(queues, policiesOf({ a: [TARGET, 0], b: [TARGET, 90_000] }), [run])).toMatchObject({ settled: {}, assigned: ['a', 'b'] });
  });

  it('are placed though no cause of the others can be looked for', async () => {
    expect(await looked(['x', 'a'], policiesOf({ a: [TARGET, 0] }), [])).toEqual({ settled: {}, assigned: ['a'], failed: 'Error: the log is away' });
  });
});
