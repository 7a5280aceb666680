import { describe, expect, it } from 'vitest';
import { goodPolicy } from './policy.fixture.js';
import { POLICY_FIELDS } from './policy-fields.js';
import { listPolicies, resolvePolicy } from './resolve-policy.js';

const FILE = goodPolicy(`defaults:
  lease: 20s
  grace: 5s
  maxRetries: 1
queues:
  emails:
    grace: 6s
    maxRetries: 2
    kinds:
      welcome: {maxRetries: 3}
namespaces:
  acme:
    defaults: {maxRetries: 7, startBy: 1m}
    queues:
      emails: {grace: 9s}
  default:
    queues:
      emails: {startBy: 3m}
`);

describe('the policy of a queue', () => {
  it('takes each setting from the strongest layer that names it', () => {
    const { policy, origins } = resolvePolicy(FILE, { namespace: 'default', queue: 'emails', kind: 'welcome' });
    expect(policy).toMatchObject({ maxRetries: 3, graceMs: 6_000, leaseMs: 20_000, startByMs: 180_000, republish: 3 });
    expect(origins.get('maxRetries')).toEqual({ layer: 'kind', at: 'queues.emails.kinds.welcome', line: 10 });
    expect(origins.get('grace')).toEqual({ layer: 'queue', at: 'queues.emails', line: 7 });
    expect(origins.get('startBy')).toEqual({ layer: 'queue', at: 'namespaces.default.queues.emails', line: 18 });
    expect(origins.get('lease')).toEqual({ layer: 'defaults', at: 'defaults', line: 2 });
    expect(origins.get('republish')).toEqual({ layer: 'default', at: '' });
  });

  it('tells the domain whether a threshold is of the kind, of the queue, or a default', () => {
    const file = goodPolicy('defaults: {lease: 20s}\nqueues: {a: {stuckAfter: 1h, kinds: {k: {hardTimeout: 2h}}}}');
    expect(resolvePolicy(file, { namespace: 'default', queue: 'a', kind: 'k' }).sources).toEqual({
      lease: 'default',
      stuckAfter: 'queue',
      hardTimeout: 'kind',
    });
  });

  it('names the origin of every setting', () => {
    const { origins } = resolvePolicy(FILE, { namespace: 'default', queue: 'emails' });
    expect([...origins.keys()]).toEqual(Object.keys(POLICY_FIELDS));
  });

  it('falls back to the queue for a kind, and to the defaults for a queue, that the file does not name', () => {
    const of = (queue: string, kind?: string) =>
      resolvePolicy(FILE, { namespace: 'default', queue, ...(kind === undefined ? {} : { kind }) }).policy.maxRetries;
    expect([of('emails', 'other'), of('emails'), of('other'), of('other', 'welcome')]).toEqual([2, 2, 1, 1]);
  });

  it('lies in its namespace: the same name elsewhere is another queue', () => {
    const acme = resolvePolicy(FILE, { namespace: 'acme', queue: 'emails', kind: 'welcome' });
    expect(acme.policy).toMatchObject({ maxRetries: 7, graceMs: 9_000, leaseMs: 20_000, startByMs: 60_000 });
    expect(acme.origins.get('maxRetries')).toEqual({ layer: 'namespace', at: 'namespaces.acme.defaults', line: 13 });
    const other = resolvePolicy(FILE, { namespace: 'other', queue: 'emails' });
    expect(other.policy).toMatchObject({ maxRetries: 1, graceMs: 5_000, leaseMs: 20_000 });
  });

  it('fills in what follows from others: a third of the lease, twice the rate', () => {
    const { policy } = resolvePolicy(goodPolicy('queues: {q: {lease: 10s, budget: {perSecond: 7}}}'), {
      namespace: 'default',
      queue: 'q',
    });
    expect([policy.heartbeatEveryMs, policy.budget]).toEqual([3_333, { perSecond: 7, burst: 14 }]);
  });

  it('is resolved once and frozen, so that whatever names events carry cost no memory', () => {
    const of = (kind: string) => resolvePolicy(FILE, { namespace: 'default', queue: 'emails', kind });
    expect(of('a')).toBe(of('b'));
    expect(resolvePolicy(FILE, { namespace: 'x', queue: 'y' })).toBe(
      resolvePolicy(FILE, { namespace: 'z', queue: 'y' }),
    );
    const { policy } = of('a');
    for (const part of [policy, policy.levels, policy.backoff, policy.stuckAfter])
      expect(Object.isFrozen(part)).toBe(true);
  });
});

it('everything that the file sets is listed, resolved', () => {
  expect(listPolicies(FILE).map(({ namespace, queue, kind }) => [namespace, queue, kind])).toEqual([
    [null, null, null],
    ['default', null, null],
    ['default', 'emails', null],
    ['default', 'emails', 'welcome'],
    ['acme', null, null],
    ['acme', 'emails', null],
  ]);
});

it('one line says act for all actions, and each can be named by itself', () => {
  const file = goodPolicy('queues: {a: {actions: act, idempotent: true, kinds: {k: {actions: {retry: observe}}}}}');
  const levels = resolvePolicy(file, { namespace: 'default', queue: 'a', kind: 'k' }).policy.levels;
  expect(levels).toEqual({ retry: 'observe', requeue: 'act', deadLetter: 'act', throttle: 'act', rollback: 'act' });
});
