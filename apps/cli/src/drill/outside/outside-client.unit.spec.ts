import { afterEach, describe, expect, it } from 'vitest';
import { ServiceClient } from '../../rest/client.js';
import { Chain } from '../chain.js';
import { AlertmanagerWay } from './alertmanager-way.js';
import { answering, type Answering, type AnsweringServer } from './answering.fixture.js';
import { mendOf, OutsideClient } from './outside-client.js';

describe('a server of somebody else’s', () => {
  const servers: AnsweringServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  const { signal } = new AbortController();
  const asked = async (answer: (path: string, method: string) => Answering) => {
    const server = await answering(answer);
    servers.push(server);
    const client = OutsideClient.of({ option: '--alertmanager', url: server.url }, { env: {}, signal });
    if (typeof client === 'string') throw new Error(client);
    return { client, calls: server.calls };
  };
  const nobody = { get: () => Promise.reject(new Error('not asked')), send: () => Promise.reject(new Error('not asked')) };
  const fired = async (answer: (path: string, method: string) => Answering) => {
    const { client, calls } = await asked(answer);
    const chain = new Chain(nobody, { withinMs: 1, signal });
    const way = new AlertmanagerWay({ chain, client, drill: 'd', startsAt: new Date(0).toISOString(), endsAfterMs: 1 });
    await way.fire();
    return { links: chain.links.map(({ link, state, says }) => ({ link, state, says })), calls, way };
  };

  it.each([301, 302, 307, 308])('that redirects by %i is not followed, and the mend is its other address', async (status) => {
    const { client, calls } = await asked((path) => (path === '/there' ? { status: 200, body: '{}' } : { status, body: '', headers: { location: '/there' } }));
    const answer = await client.post('api/v2/alerts', []);
    if (answer.kind === 'ok') throw new Error('it was followed');
    expect(answer).toMatchObject({ kind: 'refused', status });
    expect([mendOf(answer, '--alertmanager'), calls]).toEqual(['Give --alertmanager the address that it redirects to.', ['POST /api/v2/alerts']]);
  });

  it('is no Alertmanager where it shows a page instead of saying that it is ready, and is given no alert', async () => {
    const { links, calls } = await fired(() => ({ status: 200, body: '<html>Sign in when you are ready</html>' }));
    expect(links).toEqual([{ link: 'alertmanager', state: 'broken', says: 'it answers, but not as an Alertmanager' }]);
    expect(calls).toEqual(['GET /-/ready']);
  });

  it.each(['OK', 'OK\n', 'ready', 'Alertmanager is Ready.\n'])('is one that is ready where it says %j', async (body) => {
    const { links } = await fired(() => ({ status: 200, body }));
    expect(links.map(({ state }) => state)).toEqual(['ok', 'ok']);
  });

  it('may write its empty lists as null', async () => {
    const { way } = await fired(() => ({ status: 200, body: 'OK' }));
    expect((await way.arrival.astray()).says).toBe('it has not come to Jobwarden; Alertmanager gave it to nobody');
    const odd = await fired((path) => ({ status: 200, body: path.endsWith('ready') ? 'OK' : JSON.stringify([{ receivers: [null, { name: null }], status: { state: 'suppressed', silencedBy: null, inhibitedBy: ['a1'] } }]) }));
    expect((await odd.way.arrival.astray()).says).toBe('Alertmanager holds it back by the alert a1, which inhibits it');
  });
});

describe('a token that no header can carry', () => {
  const { signal } = new AbortController();
  it.each(['se\ncret', 'se cret', 'sécret', 'se\u007fcret'])('is refused by the name of its variable: %j', (token) => {
    const outside = OutsideClient.of({ option: '--prometheus', url: 'http://127.0.0.1:1', tokenEnv: 'PROM' }, { env: { PROM: token }, signal });
    expect(outside).toBe('--prometheus-token-env: the variable PROM holds no token: one is of printable ASCII characters, without spaces and line breaks');
    const service = ServiceClient.of({ url: 'http://127.0.0.1:1' }, { env: { JOBWARDEN_TOKEN: token }, signal });
    expect(service).toBe('JOBWARDEN_TOKEN holds no token: one is of printable ASCII characters, without spaces and line breaks');
  });

  it('is any other one', () => {
    expect(ServiceClient.of({ url: 'http://127.0.0.1:1' }, { env: { JOBWARDEN_TOKEN: ' a.b-c_d~/+=\n' }, signal })).toBeInstanceOf(ServiceClient);
  });
});
