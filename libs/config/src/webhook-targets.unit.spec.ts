import { describe, expect, it } from 'vitest';
import { faultsOf, goodPolicy } from './policy.fixture.js';
import { readWebhookSecrets } from './webhook-secrets.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

function webhook(keys: string): string {
  return `webhooks:\n  - {url: "https://example.com/in", events: [commands], ${keys}}\n`;
}

describe('webhooks', () => {
  it('name a URL, a secret, events and, if they like, queues', () => {
    const [target] = goodPolicy(webhook(`secret: ${SECRET}, queues: [emails, reports]`)).webhooks;
    expect(target).toMatchObject({
      url: 'https://example.com/in',
      events: ['commands'],
      queues: ['emails', 'reports'],
    });
    expect(target?.secret.from === 'file-itself' && target.secret.value.reveal()).toBe(SECRET);
    expect(goodPolicy(webhook('secretEnv: X_SECRET')).webhooks[0]).toMatchObject({ queues: null, line: 2 });
  });

  it.each([
    [webhook(`secret: ${SECRET}, secretEnv: X`), ['one-secret']],
    ['webhooks: [{}]', ['missing-key', 'missing-key', 'one-secret']],
    ['webhooks: {}', ['not-a-list']],
    [webhook('secretEnv: JOBWARDEN_HTTP_PORT'), ['bad-value']],
    [webhook(`secret: ${SECRET}, queues: []`), ['bad-value']],
    [`webhooks: [{url: "ftp://x", secretEnv: X, events: [commands]}]`, ['bad-value']],
    [`webhooks: [{url: "https://x", secretEnv: X, events: [command]}]`, ['bad-value']],
  ])('refuses %s', (text, codes) => expect(faultsOf(text).map((fault) => fault.code)).toEqual(codes));

  it('may page: PagerDuty by its key, Slack by an address that is the secret', () => {
    const file = goodPolicy('webhooks:\n  - {format: pagerduty, secretEnv: PD_KEY, events: [incidents]}\n  - {format: slack, secretFile: /run/slack, events: [incidents], queues: [emails]}\n');
    expect(file.webhooks).toMatchObject([
      { format: 'pagerduty', url: 'https://events.pagerduty.com/v2/enqueue', queues: null },
      { format: 'slack', url: null, queues: ['emails'] },
    ]);
    expect(goodPolicy(webhook('secretEnv: X')).webhooks[0]?.format).toBe('standard');
  });

  it.each([
    ['{format: pagerduty, secretEnv: X, events: [incidents, commands]}', ['format-events']],
    ['{format: slack, url: "https://hooks.slack.com/services/T0/B0/hunter2", secretEnv: X, events: [incidents]}', ['address-is-secret']],
    [`{format: pagerduty, secret: ${SECRET}, events: [incidents]}`, ['bad-value']],
    ['{format: standard, url: "https://x", secret: 0123456789abcdef0123456789abcdef, events: [incidents]}', ['bad-value']],
    ['{format: teams, secretEnv: X, events: [incidents]}', ['bad-value']],
  ])('of another format refuse %s', (item, codes) => {
    const faults = faultsOf(`webhooks: [${item}]`);
    expect(faults.map((fault) => fault.code)).toEqual(codes);
    expect(JSON.stringify(faults)).not.toMatch(/hunter2|0123456789abcdef|whsec_B/u);
  });

  it('never show a secret: not a bad one, not a URL with a password, not in print', () => {
    const bad = `webhooks: [{url: "https://u:hunter2@x", secret: hunter2, events: [commands]}]`;
    const faults = faultsOf(bad);
    expect(faults).toHaveLength(2);
    expect(JSON.stringify(faults)).not.toContain('hunter2');
    expect(JSON.stringify(goodPolicy(webhook(`secret: ${SECRET}`)))).not.toContain(SECRET);
  });
});

describe('secrets of webhooks', () => {
  it('are fetched from where the file says', async () => {
    const file = goodPolicy(
      ['secretEnv: A', 'secretFile: /run/b', `secret: ${SECRET}`]
        .map((line) => webhook(line).replace('webhooks:\n', ''))
        .join('')
        .replace(/^/, 'webhooks:\n'),
    );
    const { ready, faults } = await readWebhookSecrets(file, { A: SECRET }, () => Promise.resolve(`${SECRET}\n`));
    expect(faults).toEqual([]);
    expect(ready.map(({ secret }) => secret.reveal())).toEqual([SECRET, SECRET, SECRET]);
  });

  it('are checked by what the format has for one, and never shown', async () => {
    const file = goodPolicy('webhooks:\n  - {format: pagerduty, secretEnv: KEY, events: [incidents]}\n  - {format: slack, secretEnv: ADDRESS, events: [incidents]}\n');
    const good = { KEY: '0123456789abcdef0123456789ABCDEF', ADDRESS: 'https://hooks.slack.com/services/T0/B0/x' };
    expect((await readWebhookSecrets(file, good)).ready.map(({ secret }) => secret.reveal())).toEqual([good.KEY, good.ADDRESS]);
    const { faults } = await readWebhookSecrets(file, { KEY: 'hunter2', ADDRESS: 'hunter2' });
    expect(faults.map(({ code, mend }) => [code, /PagerDuty|Events API|Slack/u.test(mend)])).toEqual([['no-secret', true], ['no-secret', true]]);
    expect(JSON.stringify(faults)).not.toContain('hunter2');
  });

  it('that are missing or weak are faults, together, without their values', async () => {
    const file = goodPolicy(
      `${webhook('secretEnv: A')}${webhook('secretEnv: B').replace('webhooks:\n', '')}${webhook('secretFile: /none').replace('webhooks:\n', '')}`,
    );
    const read = () => Promise.reject(new Error('ENOENT'));
    const { ready, faults } = await readWebhookSecrets(file, { B: 'hunter2' }, read);
    expect(ready).toEqual([]);
    expect(faults.map((fault) => [fault.code, fault.line, fault.path])).toEqual([
      ['no-secret', 2, 'webhooks[0]'],
      ['no-secret', 3, 'webhooks[1]'],
      ['no-secret', 4, 'webhooks[2]'],
    ]);
    expect(JSON.stringify(faults)).not.toContain('hunter2');
  });
});
