import { expect, it } from 'vitest';
import { settled } from './settled.js';

it('fails only once everything has come to its end, with what failed first', async () => {
  const ended: string[] = [];
  let end: () => void = () => undefined;
  const slow = new Promise<void>((resolve) => (end = resolve)).then(() => ended.push('slow'));
  const all = settled([slow, Promise.reject(new Error('refused')), Promise.reject(new Error('later'))]).catch((error: unknown) => ended.push((error as Error).message));
  // All that can go on without the slow one has gone on by then.
  await new Promise((resolve) => setImmediate(resolve));
  expect(ended).toEqual([]);
  end();
  await all;
  expect(ended).toEqual(['slow', 'refused']);
});
