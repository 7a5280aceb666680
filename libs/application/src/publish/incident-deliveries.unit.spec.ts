import { describe, expect, it } from 'vitest';
import type { IncidentStep } from '#libs/domain';
import type { PublishedStep } from '../ports/publishing-report.port.js';
import type { WebhookEndpoint } from '../ports/webhooks.port.js';
import { IncidentDeliveries } from './incident-deliveries.js';

const step = (n: number, type: IncidentStep['type']): IncidentStep => ({ n, type, atMs: n, by: 'jobwarden', reason: 'r' });
const INCIDENT = { id: '7', kind: 'saturation', subject: 's', queue: null, steps: [step(1, 'opened'), step(2, 'would-have'), step(3, 'resolved')] } as const;
const endpoint = (name: string, over: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  ...{ name, format: 'standard', url: name, secret: { reveal: () => 's' }, events: ['incidents'], queues: null },
  ...over,
});
const HOOK = 'https://hook.example:8443/a-secret-path';

async function states(list: readonly WebhookEndpoint[], published: readonly PublishedStep[]): Promise<readonly string[]> {
  const deliveries = await new IncidentDeliveries({ ofIncident: () => Promise.resolve(published) }, { list: () => list }).of(INCIDENT);
  expect(JSON.stringify(deliveries)).not.toContain('secret-path');
  return deliveries.map(({ n, host, format, state, lastError }) => [n, host ?? format, state, ...(lastError === null ? [] : [lastError])].join(' '));
}

describe('whether the pages of an incident have arrived', () => {
  it('is told by step and webhook: what is out and waits for nobody is delivered', async () => {
    const open = (detail: string | null, parked = false) => [{ webhook: HOOK, tries: 1, detail, parked }];
    expect(await states([endpoint(HOOK)], [{ n: 1, open: [] }, { n: 2, open: open('answered 500') }])).toEqual(['1 hook.example:8443 delivered', '2 hook.example:8443 refused answered 500', '3 hook.example:8443 unsent']);
    expect(await states([endpoint(HOOK)], [{ n: 1, open: open(null) }, { n: 2, open: open('gone', true) }, { n: 3, open: [] }])).toEqual(['1 hook.example:8443 waiting', '2 hook.example:8443 parked gone', '3 hook.example:8443 delivered']);
  });

  it('is told of those alone that are told of the step, and of what is secret nothing', async () => {
    const list = [endpoint('slack', { format: 'slack', url: null }), endpoint('https://commands.example', { events: ['commands'] }), endpoint('https://bound.example', { queues: ['mails'] })];
    expect(await states(list, [1, 2, 3].map((n) => ({ n, open: [] })))).toEqual(['1 slack delivered', '3 slack delivered']);
  });
});
