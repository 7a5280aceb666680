import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENVIRONMENT_VARIABLES } from './environment-variables.js';
import { checkExposure } from './exposure.js';
import { readEnvironment } from './environment.js';
import { goodPolicy, placesOf } from './policy.fixture.js';
import { CROSS_RULES } from './policy-rules.js';
import { POLICY_FIELDS } from './policy-fields.js';
import { renderConfigurationPage } from './reference-page.js';
import { resolvePolicy } from './resolve-policy.js';

const ROOT = join(import.meta.dirname, '../../..');

describe('the reference page', () => {
  it('names every variable, setting and rule', () => {
    const page = renderConfigurationPage();
    const names = [
      ...Object.values(ENVIRONMENT_VARIABLES).map((variable) => variable.name),
      ...Object.keys(POLICY_FIELDS),
      ...CROSS_RULES.map((rule) => rule.code),
    ];
    for (const name of names) expect(page).toContain(`| \`${name}\` |`);
  });

  it('is the one that is committed', () => {
    expect(readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8')).toBe(renderConfigurationPage());
  });
});

describe('the example policy', () => {
  const text = readFileSync(join(ROOT, 'examples/policy.yaml'), 'utf8');

  it('is valid, and does what its comments say', () => {
    const file = goodPolicy(text);
    const emails = resolvePolicy(file, { namespace: 'default', queue: 'emails' }).policy;
    expect(emails).toMatchObject({ levels: { requeue: 'act' }, leaseMs: 10_000, poisonAfter: 3 });
    const monthly = resolvePolicy(file, { namespace: 'default', queue: 'reports', kind: 'monthly' }).policy;
    expect(monthly).toMatchObject({ hardTimeoutMs: 7_200_000, stuckAfter: { mode: 'fixed', ms: 5_400_000 } });
    const environment = readEnvironment({});
    expect(environment.ok && checkExposure(environment.value, file)).toEqual([]);
  });

  it('is still valid with the commented sections in force', () => {
    const uncommented = text.replace(/^# (?=(?:webhooks|tokens|traces):$| {2,})/gm, '');
    const file = goodPolicy(uncommented);
    expect([file.webhooks.length, file.tokens.length, file.traces.url]).toEqual([1, 1, 'https://tempo.example.com/trace/{traceId}']);
  });

  it('would be refused with a key misspelt', () => {
    expect(placesOf(text.replace('  grace: 15s', '  garce: 15s'))).toHaveLength(1);
  });
});

describe('the histories policies of the end-to-end test', () => {
  it('are valid: no heartbeats, fixed or no thresholds, hard timeouts of any length', () => {
    goodPolicy(
      'defaults: {actions: act, idempotent: true, heartbeats: none, stuckAfter: 20d, hardTimeout: off, grace: 15s, maxRetries: 3}',
    );
    goodPolicy(
      'defaults: {actions: observe, heartbeats: none, stuckAfter: off}\nqueues: {q_2h: {hardTimeout: 126m}, q_1w: {hardTimeout: 7.35d}}',
    );
  });
});
