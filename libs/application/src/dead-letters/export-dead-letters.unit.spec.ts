import { describe, expect, it } from 'vitest';
import type { JobRow, ReadModels } from '../ports/read-models.port.js';
import { exportDeadLetters } from './export-dead-letters.js';

/** Two queues, one of them with `letters` dead ones; counts the pages that were read. */
function reads(letters: number) {
  const pages: (string | null)[] = [];
  const queues = ['a', 'b'].map((queue) => ({ queue, byStatus: { 'dead-lettered': queue === 'b' ? letters : 0 } }));
  const models = {
    queues: { list: () => Promise.resolve({ items: queues, next: null }) },
    jobs: {
      deadLetters: (_: object, { limit, after }: { limit: number; after: string | null }) => {
        pages.push(after);
        const from = Number(after ?? 0);
        const items = Array.from({ length: Math.min(limit, letters - from) }, (_row, i) => ({ keyHex: String(from + i) }) as JobRow);
        return Promise.resolve({ items, next: from + limit < letters ? String(from + limit) : null });
      },
    },
  };
  return { models: models as unknown as ReadModels, pages };
}

describe('an export', () => {
  it('reads a page only once the one before has been taken', async () => {
    const { models, pages } = reads(1_200);
    const rows = exportDeadLetters(models, { namespace: 'default' });
    for (let i = 0; i < 500; i += 1) await rows.next();
    expect(pages).toEqual([null]);
    await rows.next();
    expect(pages).toEqual([null, '500']);
    await rows.return();
    expect(pages).toEqual([null, '500']);
  });

  it('has each once, and asks no queue without any', async () => {
    const { models, pages } = reads(1_200);
    const keys: string[] = [];
    for await (const { keyHex } of exportDeadLetters(models, { namespace: 'default' })) keys.push(keyHex);
    expect([keys.length, new Set(keys).size]).toEqual([1_200, 1_200]);
    expect(pages).toEqual([null, '500', '1000']);
    expect(await exportDeadLetters(reads(0).models, { namespace: 'default' }).next()).toMatchObject({ done: true });
  });
});
