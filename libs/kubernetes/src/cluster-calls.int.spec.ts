import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { OrchestratorError } from '#libs/application';
import { ClusterCalls } from './cluster-calls.js';

const patch = { verb: 'patch', group: 'apps', resource: 'deployments', namespace: 'shop', name: 'workers' } as const;
let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function callsTo(answer: RequestListener): Promise<ClusterCalls> {
  server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/prefix/`);
  return new ClusterCalls({ server: url, options: () => Promise.resolve({}) }, 300);
}

const failure = async (work: Promise<unknown>): Promise<OrchestratorError> => await work.then(() => Promise.reject(new Error('no failure')), (error: unknown) => error as OrchestratorError);
const send = (calls: ClusterCalls, signal = new AbortController().signal) => calls.one(patch, { signal, patch: { type: 'json-patch', body: [] } });

it.each([
  [401, {}, 'forbidden', null],
  [403, { message: 'User "x" cannot patch resource "deployments" in API group "apps"' }, 'forbidden', null],
  [404, {}, 'not_found', null],
  [409, {}, 'conflict', null],
  [422, { message: 'the server rejected our request' }, 'conflict', null],
  [422, { message: 'spec.replicas: Invalid value', details: { causes: [{ field: 'spec.replicas' }] } }, 'rejected', null],
  [400, { message: 'bad' }, 'rejected', null],
  [429, {}, 'throttled', 7_000],
  [503, {}, 'unreachable', 7_000],
  [500, 'no JSON', 'unreachable', 7_000],
])('an answer of %d with %j is %s', async (status, body, code, retryAfterMs) => {
  const calls = await callsTo((_, response) => {
    response.writeHead(status, { 'retry-after': '7' }).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  expect(await failure(send(calls))).toMatchObject({ code, retryAfterMs });
});

it('a refusal that is no missing right says what it is', async () => {
  const calls = await callsTo((_, response) => void response.writeHead(403).end(JSON.stringify({ message: 'admission webhook "policy" denied the request: frozen' })));
  expect((await failure(send(calls))).message).toContain('denied the request: frozen');
});

it('no answer, half an answer and no JSON are failures in time', async () => {
  expect(await failure(send(await callsTo(() => undefined)))).toMatchObject({ code: 'timed_out', message: expect.stringContaining('no answer within 300 ms') as string });
  server?.closeAllConnections();
  expect(await failure(send(await callsTo((_, response) => void response.writeHead(200).write('{'))))).toMatchObject({ code: 'timed_out' });
  expect(await failure(send(await callsTo((_, response) => response.destroy())))).toMatchObject({ code: 'unreachable' });
  expect(await failure(send(await callsTo((_, response) => void response.end('<html>'))))).toMatchObject({ code: 'unreachable' });
});

it('a plug-in that never prints a token does not hold a call up', async () => {
  const calls = new ClusterCalls({ server: new URL('http://127.0.0.1:1'), options: () => new Promise(() => undefined) }, 100);
  expect(await failure(send(calls))).toMatchObject({ code: 'timed_out' });
});

it('a closed port is unreachable', async () => {
  const calls = new ClusterCalls({ server: new URL('http://127.0.0.1:1'), options: () => Promise.resolve({}) }, 300);
  expect(await failure(send(calls))).toMatchObject({ code: 'unreachable', message: expect.stringContaining('ECONNREFUSED') as string });
});

it('a list is read page by page, below the path of the server', async () => {
  const asked: string[] = [];
  const calls = await callsTo((request, response) => {
    asked.push(request.url ?? '');
    const more = !request.url?.includes('continue');
    response.end(JSON.stringify({ items: [asked.length], metadata: more ? { continue: 'next' } : {} }));
  });
  const query = { labelSelector: 'app=workers' };
  expect(await calls.list({ verb: 'list', group: '', resource: 'pods', namespace: 'shop' }, { signal: AbortSignal.timeout(5_000), query })).toEqual([1, 2]);
  expect(asked).toEqual([
    '/prefix/api/v1/namespaces/shop/pods?labelSelector=app%3Dworkers&limit=250',
    '/prefix/api/v1/namespaces/shop/pods?labelSelector=app%3Dworkers&limit=250&continue=next',
  ]);
});
