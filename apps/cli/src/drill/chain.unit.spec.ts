import { expect, it } from 'vitest';
import type { Answer } from '../rest/client.js';
import { DirectWay } from './alert-way.js';
import { Chain, NoDrill } from './chain.js';

it('sends no alert once the service has refused something else of the drill', async () => {
  const sent: string[] = [];
  const refused: Answer = { kind: 'problem', status: 403, code: 'forbidden', detail: '', retryAfterMs: null, body: null };
  const client = { get: () => Promise.resolve(refused), send: (path: string | URL) => (sent.push(String(path)), Promise.resolve(refused)) };
  const chain = new Chain(client, { withinMs: 1_000, signal: new AbortController().signal });
  await expect(chain.get('v1/jobs/one')).rejects.toBeInstanceOf(NoDrill);
  const way = new DirectWay(chain, 'd', new Date(0).toISOString());
  expect([await way.fire(), await way.clean(), sent]).toEqual([false, true, []]);
});
