import { describe, expect, it } from 'vitest';
import { CROSS_RULES } from './policy-rules.js';
import { faultsOf, placesOf } from './policy.fixture.js';

describe('heartbeat-within-third', () => {
  it('refuses a heartbeat of more than a third of the lease, with both numbers (A8)', () => {
    const [fault] = faultsOf('queues:\n  emails: {lease: 30s, heartbeatEvery: 11s}\n');
    expect(fault).toMatchObject({ code: 'heartbeat-within-third', line: 2, column: 24 });
    expect(fault?.rule).toBe('heartbeatEvery 11s is more than a third of lease 30s (10s)');
    expect(fault?.mend).toBe('write heartbeatEvery: 10s or less, or lease: 33s or more');
  });

  it('takes exactly a third, and follows the lease when it is not written', () => {
    expect(placesOf('defaults: {lease: 30s, heartbeatEvery: 10s}')).toEqual([]);
    expect(placesOf('queues: {emails: {lease: 100ms}}')).toEqual([]);
  });

  it('is asked of what a queue inherits, at the line that broke it', () => {
    const text =
      'defaults: {heartbeatEvery: 10s}\nqueues:\n  a: {}\n  b: {lease: 15s}\n  c: {lease: 15s, heartbeatEvery: auto}\n';
    expect(placesOf(text)).toEqual(['4:7 heartbeat-within-third queues.b.lease']);
  });

  it('is one fault where many queues inherit it', () => {
    const queues = Array.from({ length: 50 }, (_, n) => `  q${String(n)}: {grace: 1s}`).join('\n');
    expect(placesOf(`defaults: {heartbeatEvery: 20s}\nqueues:\n${queues}\n`)).toEqual([
      '1:12 heartbeat-within-third defaults.heartbeatEvery',
    ]);
  });
});

describe('hard-timeout-over-lease', () => {
  it('refuses a hard timeout that ends before the lease', () => {
    const [fault] = faultsOf('queues:\n  emails: {hardTimeout: 30s}\n');
    expect(fault).toMatchObject({ code: 'hard-timeout-over-lease', line: 2 });
    expect(fault?.rule).toBe('hardTimeout 30s is not longer than lease 30s');
    expect(placesOf('defaults: {hardTimeout: 30001ms}')).toEqual([]);
  });

  it('does not ask where there are no heartbeats, and so no lease', () => {
    expect(placesOf('defaults: {heartbeats: none, hardTimeout: 5s}')).toEqual([]);
  });
});

describe('backoff-max-over-initial', () => {
  it('refuses a longest wait that is shorter than the first', () => {
    const [fault] = faultsOf('defaults:\n  backoff: {initial: 10s, max: 9s}\n');
    expect(fault?.rule).toBe('backoff.max 9s is shorter than backoff.initial 10s');
    expect(placesOf('defaults: {backoff: {initial: 5m}}')).toEqual([]);
    expect(placesOf('defaults: {backoff: {initial: 301s}}')).toEqual([
      '1:22 backoff-max-over-initial defaults.backoff.initial',
    ]);
  });
});

describe('saturation-recovers-below', () => {
  it('refuses to recover above the bound of saturation', () => {
    const [fault] = faultsOf('queues:\n  emails: {saturation: {ratio: 0.2, recoverBelow: 0.2}}\n');
    expect(fault?.rule).toBe('saturation.recoverBelow 0.2 is not less than saturation.ratio 0.2');
    expect(fault?.mend).toBe('write saturation.recoverBelow: 0.1 or less');
    expect(placesOf('defaults: {saturation: {ratio: 0.05}}')).toEqual(['1:25 saturation-recovers-below defaults.saturation.ratio']);
    expect(placesOf('defaults: {saturation: {ratio: 1, window: 10s, for: 0s, unprocessed: 0, minProcessed: 1}}')).toEqual([]);
  });
});

describe('budget-burst-over-half-second', () => {
  it('refuses a burst with which the rate is never reached, and says how much it takes', () => {
    const [fault] = faultsOf('queues:\n  emails: {budget: {perSecond: 101, burst: 50}}\n');
    expect(fault?.rule).toBe('budget.burst 50 is less than half of budget.perSecond 101: that rate is never reached');
    expect(fault?.mend).toBe('write budget.burst: 51 or more, or auto');
    expect(placesOf('defaults: {budget: {perSecond: 101, burst: 51}}')).toEqual([]);
  });

  it('is asked of the budget of the whole installation too', () => {
    expect(placesOf('budget: {burst: 10}')).toEqual(['1:10 budget-burst-over-half-second budget.burst']);
    expect(placesOf('budget: {burst: 100}')).toEqual([]);
  });

  it('does not ask where the burst follows the rate', () => {
    expect(placesOf('defaults: {budget: {perSecond: 1000}}')).toEqual([]);
  });
});

describe('schema-database-and-query', () => {
  it('refuses a question without a database, and a database without a question', () => {
    const [noDatabase] = faultsOf('defaults: {rollback: {schema: {query: "select 1"}}}');
    expect(noDatabase).toMatchObject({ code: 'schema-database-and-query', path: 'defaults.rollback.schema.query' });
    expect(noDatabase?.rule).toBe('rollback.schema.query has no rollback.schema.databaseUrlEnv: no database would be asked');
    const [noQuery] = faultsOf('queues: {a: {rollback: {schema: {databaseUrlEnv: SHOP_DATABASE_URL}}}}');
    expect(noQuery?.rule).toBe('rollback.schema.databaseUrlEnv SHOP_DATABASE_URL has no rollback.schema.query: nothing would be asked');
  });

  it('takes one of the defaults with one of the queue', () => {
    expect(placesOf('defaults: {rollback: {schema: {query: none}}}\nqueues: {a: {rollback: {schema: {databaseUrlEnv: SHOP_DATABASE_URL, query: "select 1"}}}}')).toEqual([]);
  });
});

describe('act-needs-safety', () => {
  it.each(['act', '{retry: act}', '{requeue: act}', '{deadLetter: act}'])('refuses actions: %s alone', (actions) => {
    expect(faultsOf(`queues: {emails: {actions: ${actions}}}`)).toMatchObject([{ code: 'act-needs-safety' }]);
  });

  it.each(['claims: required', 'idempotent: true'])('takes it with %s', (safety) => {
    expect(placesOf(`queues: {emails: {actions: act, ${safety}}}`)).toEqual([]);
  });

  it('does not ask for what reruns no job', () => {
    expect(placesOf('defaults: {actions: {throttle: act, rollback: act, retry: approve}}')).toEqual([]);
  });

  it('is asked of each kind, also when it only takes the safety away', () => {
    const text =
      'queues:\n  emails:\n    actions: act\n    idempotent: true\n    kinds:\n      invoice: {idempotent: false}\n';
    expect(placesOf(text)).toEqual(['6:17 act-needs-safety queues.emails.kinds.invoice.idempotent']);
  });
});

describe('fallback-to-itself', () => {
  it('refuses a queue that names itself, and lets the defaults name any', () => {
    expect(placesOf('queues: {a: {fallbackQueue: a}}')).toEqual(['1:14 fallback-to-itself queues.a.fallbackQueue']);
    expect(placesOf('defaults: {fallbackQueue: a}\nqueues: {a: {}, b: {}}')).toEqual([]);
  });
});

it('every rule of the reference page has a group of tests here', () => {
  expect(CROSS_RULES.map((rule) => rule.code)).toEqual([
    'heartbeat-within-third',
    'hard-timeout-over-lease',
    'backoff-max-over-initial',
    'budget-burst-over-half-second',
    'saturation-recovers-below',
    'schema-database-and-query',
    'act-needs-safety',
  ]);
});
