import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '#libs/testing';
import { readBodiesAsBytes } from '../src/http/body.js';
import { Problem } from '../src/http/problem.js';

const LIMIT = 1_000;
const HELD = 2_500;

describe('the bodies of all requests together', () => {
  const waiting: (() => void)[] = [];
  let fastify: FastifyInstance;
  let url = '';

  beforeAll(async () => {
    fastify = Fastify({ forceCloseConnections: true });
    readBodiesAsBytes(fastify, () => LIMIT, HELD);
    fastify.setErrorHandler((error, _request, reply) => {
      void reply.code(error instanceof Problem ? error.status : 500).send({ code: error instanceof Problem ? error.code : 'other' });
    });
    fastify.post('/held', async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return {};
    });
    fastify.post('/', () => ({}));
    url = await fastify.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(() => fastify.close());

  const send = async (path: string, bytes: number, signal: AbortSignal | null = null) => {
    const answer = await fetch(`${url}${path}`, { method: 'POST', body: 'x'.repeat(bytes), signal });
    return [answer.status, ((await answer.json()) as { code?: string }).code];
  };
  const held = async (count: number) => waitUntil('they are held', () => Promise.resolve(waiting.length === count));
  const letGo = () => waiting.splice(0).forEach((resolve) => resolve());

  it('are bounded: what comes on top is told to come again, and is taken once others were answered', async () => {
    const first = [send('/held', 1_000), send('/held', 1_000)];
    await held(2);
    expect(await send('/', 600)).toEqual([503, 'body_memory_exhausted']);
    expect(await send('/', 400)).toEqual([200, undefined]);
    letGo();
    expect(await Promise.all(first)).toEqual([[200, undefined], [200, undefined]]);
    expect(await send('/', 1_000)).toEqual([200, undefined]);
  });

  it('do not count any more when their sender has gone', async () => {
    const gone = new AbortController();
    const sent = [send('/held', 1_000, gone.signal), send('/held', 1_000, gone.signal)].map((one) => one.catch(() => 'gone'));
    await held(2);
    gone.abort();
    expect(await Promise.all(sent)).toEqual(['gone', 'gone']);
    await waitUntil('there is room again', async () => (await send('/', 1_000))[0] === 200);
    letGo();
  });

  it('leave out whoever asks for too much by itself, which is another limit', async () => {
    expect(await send('/', 1_001)).toEqual([413, 'too_large']);
  });
});
