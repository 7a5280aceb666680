import { describe, expect, it } from 'vitest';
import { formatFaults } from './fault.js';
import { faultsOf, goodPolicy, placesOf } from './policy.fixture.js';
import { builtInPolicy } from './policy-file.js';
import { resolvePolicy } from './resolve-policy.js';

describe('a policy file', () => {
  it('is refused with every fault at once, each at its line and column', () => {
    const text = `defaults:
  leese: 30s
  grace: 15
  maxRetries: 101
  backoff: {initial: 10m, max: 5m, jitter: 1.5}
queues:
  emails:
    actions: {retry: act, reque: act}
    owner: jobwardn
  reports: {kinds: {monthly: {hardTimeout: 500d}}}
budgets: {perSecond: 1}
`;
    expect(placesOf(text)).toEqual([
      '2:3 unknown-key defaults.leese',
      '3:10 bad-value defaults.grace',
      '4:15 bad-value defaults.maxRetries',
      '5:27 backoff-max-over-initial defaults.backoff.max',
      '5:44 bad-value defaults.backoff.jitter',
      '8:15 act-needs-safety queues.emails.actions.retry',
      '8:27 unknown-key queues.emails.actions.reque',
      '9:12 bad-value queues.emails.owner',
      '10:44 bad-value queues.reports.kinds.monthly.hardTimeout',
      '11:1 unknown-key budgets',
    ]);
    const [first, second] = faultsOf(text);
    expect(first?.mend).toBe('did you mean "lease"?');
    expect(second?.mend).toBe('add the unit: 15ms, 15s or 15m');
    expect(formatFaults(faultsOf(text)).split('\n')[0]).toBe(
      'policy.yaml:2:3 defaults.leese: is not a known key; did you mean "lease"?',
    );
  });

  it.each([
    ['stuckAfter: sometimes', 'bad-value'],
    ['hardTimeout: false', 'bad-value'],
    ['idempotent: "yes"', 'bad-value'],
    ['poisonAfter: 0', 'bad-value'],
    ['blackout: {share: 0}', 'bad-value'],
    ['blackout: {share: 1.01}', 'bad-value'],
    ['blackout: {share: .nan}', 'bad-value'],
    ['backoff: 5s', 'not-a-map'],
    ['maxRetries: 2.5', 'bad-value'],
    ['maxRetries: -1', 'bad-value'],
    ['retention: 401d', 'bad-value'],
    ['budget: {perSecond: 0}', 'bad-value'],
    ['kinds: {x: {}}', 'unknown-key'],
    ['lease: {x: 1}', 'bad-value'],
    ['lease:', 'bad-value'],
  ])('refuses under defaults: %s', (line, code) => {
    expect(faultsOf(`defaults: {${line}}`).map((fault) => fault.code)).toEqual([code]);
  });

  it.each([
    'blackout: {share: 1}',
    'poisonAfter: 1',
    'maxRetries: 100',
    'maxRetries: 0',
    'backoff: {jitter: 0}',
    'stuckAfter: off',
    'stuckAfter: 20d',
    'hardTimeout: off',
    'fallbackQueue: none',
    'actions: approve',
    'actions: {throttle: act, rollback: act}',
    'retention: 400d',
  ])('takes under defaults: %s', (line) => {
    expect(faultsOf(`defaults: {${line}}`)).toEqual([]);
  });

  it('takes names only as exact names', () => {
    expect(placesOf('queues:\n  "emails-*": {}\n')).toEqual(['2:3 no-globs queues["emails-*"]']);
    expect(placesOf(`queues:\n  ${'q'.repeat(256)}: {}\n`)).toMatchObject([expect.stringContaining('bad-name')]);
    expect(placesOf(`limits: {queue: 300}\nqueues:\n  ${'q'.repeat(256)}: {}\n`)).toEqual([]);
    expect(placesOf('namespaces:\n  "": {}\n')).toMatchObject([expect.stringContaining('bad-name')]);
  });

  it('checks a namespace like the file itself', () => {
    expect(placesOf('namespaces:\n  acme:\n    defaults: {actions: act}\n    queue: {}\n')).toEqual([
      '3:16 act-needs-safety namespaces.acme.defaults.actions',
      '4:5 unknown-key namespaces.acme.queue',
    ]);
  });

  it('has a version of its meaning: comments, order and layout keep it, a value changes it', () => {
    const version = goodPolicy('queues: {a: {lease: 10s}, b: {grace: 1s}}').version;
    expect(goodPolicy('# why\nqueues:\n  b: {grace: 1000ms}\n  a:\n    lease: 10s\n').version).toBe(version);
    expect(goodPolicy('queues: {a: {lease: 11s}, b: {grace: 1s}}').version).not.toBe(version);
    expect(goodPolicy('queues: {a: {lease: 10s}, b: {grace: 1s}}\nbudget: {perSecond: 7}').version).not.toBe(version);
  });

  it('without a file observes, and acts on nothing', () => {
    const { policy, origins } = resolvePolicy(builtInPolicy(), { namespace: 'any', queue: 'any' });
    expect(new Set(Object.values(policy.levels))).toEqual(new Set(['observe']));
    expect(new Set([...origins.values()].map((origin) => origin.layer))).toEqual(new Set(['default']));
    expect(builtInPolicy().tokens).toEqual([]);
  });

  it('with five thousand queues is read in a moment', () => {
    const queues = Array.from({ length: 5_000 }, (_, n) => `  q${String(n)}: {lease: 10s, kinds: {k: {grace: 1s}}}`);
    const started = performance.now();
    goodPolicy(`queues:\n${queues.join('\n')}\n`);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
