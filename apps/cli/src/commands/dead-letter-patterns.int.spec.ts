import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Context } from '../terminal/terminal.js';
import { runPatterns } from './dead-letter-patterns.js';

const ALL = Array.from({ length: 2_500 }, (_, i) => ({ id: String(i), queue: 'mails', kind: null, reason: 'failed', class: 'E', message: `m${String(i)}`, frames: [], letters: 2, arrived: 1, mark: null, lastSeen: 'then' }));

describe('jobwarden dead-letters patterns', () => {
  let service: Server;
  let url = '';
  const asked: string[] = [];

  beforeAll(async () => {
    service = createServer((request, response) => {
      const { searchParams } = new URL(request.url ?? '', 'http://service');
      asked.push(`${searchParams.get('next') ?? 'first'}+${searchParams.get('limit') ?? ''}`);
      const from = Number(searchParams.get('next') ?? 0);
      const to = from + Number(searchParams.get('limit'));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ since: '1970-01-01T00:00:00Z', lastReview: null, arrived: 2_500, total: ALL.length, items: ALL.slice(from, to), next: to < ALL.length ? String(to) : null }));
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${String((service.address() as AddressInfo).port)}`;
  });
  afterAll(() => new Promise((resolve) => service.close(resolve)));

  async function run(flags: { readonly limit: number; readonly all?: boolean; readonly json?: boolean }): Promise<readonly string[]> {
    const lines: string[] = [];
    asked.splice(0);
    const context: Context = {
      terminal: { out: (line) => void lines.push(line), err: (line) => void lines.push(line), errRaw: () => undefined, interactive: false, columns: 80 },
      env: {},
      signal: new AbortController().signal,
    };
    expect(await runPatterns({ url, since: '24h', ...flags }, context)).toBe(0);
    return lines;
  }

  it('prints as many as were asked for, page by page, and says when there are more', async () => {
    const lines = await run({ limit: 1_200 });
    expect(asked).toEqual(['first+1000', '1000+200']);
    expect(lines.filter((line) => line.includes(' mails '))).toHaveLength(1_200);
    expect(lines.at(-1)).toBe('These are the first 1,200; --limit or --all shows more.');
  });

  it('prints all of them, each once', async () => {
    const [json = ''] = await run({ limit: 100, all: true, json: true });
    expect(asked).toEqual(['first+1000', '1000+1000', '2000+1000']);
    expect((JSON.parse(json) as { items: readonly { id: string }[] }).items.map(({ id }) => id)).toEqual(ALL.map(({ id }) => id));
  });
});
