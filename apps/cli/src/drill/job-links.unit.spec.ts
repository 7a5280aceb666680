import { expect, it } from 'vitest';
import type { Answer, StreamedAnswer } from '../rest/client.js';
import { Chain } from './chain.js';
import { JobLinks } from './job-links.js';

const ok = (body: unknown): Promise<Answer> => Promise.resolve({ kind: 'ok', status: 200, body });

it('takes metrics that break off for a verdict that is not counted, and gives them a limit', async () => {
  const client = { get: (path: string) => ok(path === 'v1/verdicts' ? { items: [{ id: 'd', verdict: 'lost', level: 'observe' }] } : { enabled: true }), send: () => ok({}) };
  const limits: unknown[] = [];
  const read = (_path: string, _query: object, withinMs?: number): Promise<StreamedAnswer> => {
    limits.push(withinMs);
    return Promise.resolve({ kind: 'ok', body: ReadableStream.from(broken()) });
  };
  const chain = new Chain(client, { withinMs: 1, signal: new AbortController().signal });
  const jobs = new JobLinks(chain, { read }, 'd');
  await jobs.begin();
  expect(await jobs.verdict()).toBe(true);
  expect(chain.links.find(({ link }) => link === 'metrics')).toMatchObject({ state: 'broken', says: 'GET /metrics does not count the verdict' });
  expect(new Set(limits)).toEqual(new Set([10_000]));
});

async function* broken(): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from('jobwarden_verdicts_total{queue="jobwarden-drill"} 1\n'));
  throw new Error('broken off');
}
