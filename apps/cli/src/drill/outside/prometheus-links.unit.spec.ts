import { afterEach, expect, it } from 'vitest';
import { Chain } from '../chain.js';
import type { Link } from '../links.js';
import { answering, type AnsweringServer } from './answering.fixture.js';
import { OutsideClient } from './outside-client.js';
import { PrometheusLinks } from './prometheus-links.js';

const servers: AnsweringServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** What is said of a Prometheus that answers each path so; others with 404. */
async function linksOf(answers: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, Pick<Link, 'state' | 'says'>>>> {
  const server = await answering((path) => (path in answers ? { status: 200, body: JSON.stringify(answers[path]) } : { status: 404, body: '' }));
  servers.push(server);
  const { signal } = new AbortController();
  const client = OutsideClient.of({ option: '--prometheus', url: server.url }, { env: {}, signal });
  if (typeof client === 'string') throw new Error(client);
  const nobody = { get: () => Promise.reject(new Error('not asked')), send: () => Promise.reject(new Error('not asked')) };
  const chain = new Chain(nobody, { withinMs: 1, signal });
  await new PrometheusLinks(chain, client).run();
  return Object.fromEntries(chain.links.map(({ link, state, says }) => [link, { state, says }]));
}

const of = (data: unknown): object => ({ status: 'success', data });
const OTHER = { state: 'broken', says: 'it answers, but not as a Prometheus' };

it.each([['null', null], ['a number', 7], ['a text', 'ok']])('says of data that is %s that no Prometheus answers', async (_, data) => {
  const odd = of(data);
  expect(await linksOf({ '/api/v1/targets': odd, '/api/v1/rules': odd, '/api/v1/alertmanagers': odd })).toEqual({ scrape: OTHER, rules: OTHER, alerting: OTHER });
});

it('takes lists that are null for empty ones', async () => {
  const links = await linksOf({ '/api/v1/targets': of({ activeTargets: null }), '/api/v1/rules': of({ groups: [{ rules: null }] }), '/api/v1/alertmanagers': of({ activeAlertmanagers: null }) });
  expect(links).toMatchObject({ scrape: { says: 'no target of the job jobwarden' }, rules: { says: expect.stringContaining('alerts are missing') as string }, alerting: { says: 'it has no Alertmanager to tell' } });
});

it('passes over items and members that are null', async () => {
  const down = { labels: { job: 'jobwarden' }, health: 'down', lastError: null, scrapeUrl: null };
  const links = await linksOf({ '/api/v1/targets': of({ activeTargets: [null, { labels: null }, down] }), '/api/v1/rules': of({ groups: [null, { rules: [null] }] }), '/api/v1/alertmanagers': of({ activeAlertmanagers: [null, { url: null }, { url: 'http://am:9093/x' }] }) });
  expect(links).toMatchObject({ scrape: { says: 'a replica is down: ' }, rules: { state: 'broken' }, alerting: { state: 'ok', says: 'it tells am:9093' } });
});

it('says the same of lists that are none', async () => {
  expect(await linksOf({ '/api/v1/targets': of({ activeTargets: 7 }), '/api/v1/rules': of({ groups: {} }), '/api/v1/alertmanagers': of({ activeAlertmanagers: 'none' }) })).toEqual({ scrape: OTHER, rules: OTHER, alerting: OTHER });
});
