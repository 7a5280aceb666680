import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Context } from '../terminal/terminal.js';
import { runPostmortem } from './postmortem.js';

describe('jobwarden postmortem', () => {
  let service: Server;
  let url = '';

  beforeAll(async () => {
    service = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://service');
      const known = pathname === '/v1/incidents/17/postmortem' && request.headers.authorization === 'Bearer t';
      response.statusCode = known ? 200 : 404;
      response.setHeader('content-type', 'text/plain');
      response.end(known ? `as ${searchParams.get('format') ?? 'it is'}: ✓\n\nend\n` : '{"code": "incident_unknown", "detail": "There is no such incident."}');
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${String((service.address() as AddressInfo).port)}`;
  });
  afterAll(() => new Promise((resolve) => service.close(resolve)));

  async function run(incident: string, format: 'markdown' | 'json', to = url): Promise<{ code: number; out: string; err: string }> {
    const told = { out: '', err: '' };
    const context: Context = {
      terminal: { out: (line) => void (told.out += line), err: (line) => void (told.err += line), errRaw: () => undefined, interactive: false, columns: 80 },
      env: { JOBWARDEN_TOKEN: 't' },
      signal: new AbortController().signal,
    };
    return { code: await runPostmortem(incident, { url: to, format }, context), ...told };
  }

  it('prints the page as it is, or as JSON', async () => {
    expect(await run('17', 'markdown')).toEqual({ code: 0, out: 'as markdown: ✓\n\nend', err: '' });
    expect((await run('17', 'json')).out).toContain('as json');
  });

  it('tells an incident that is unknown, also one that would be another path, and a service that does not answer', async () => {
    expect(await run('18', 'markdown')).toMatchObject({ code: 1, out: '', err: expect.stringContaining('incident_unknown') as unknown });
    expect((await run('../jobs', 'markdown')).code).toBe(1);
    expect((await run('17', 'markdown', 'http://127.0.0.1:1')).code).toBe(3);
    expect((await run('17', 'markdown', 'nowhere')).code).toBe(2);
  });
});
