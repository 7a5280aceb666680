import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveDashboard } from '../src/http/dashboard.js';

const SCRIPT = 'console.log(1);'.repeat(200);

describe('the files of the dashboard', () => {
  let folder: string;
  let fastify: FastifyInstance;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'jobwarden-dashboard-'));
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), '<meta property="csp-nonce" nonce="__CSP_NONCE__"><script src="/assets/a-1.js" nonce="__CSP_NONCE__"></script>');
    writeFileSync(join(folder, 'assets/a-1.js'), SCRIPT);
    writeFileSync(join(folder, 'assets/a-1.js.gz'), 'compressed');
    writeFileSync(join(folder, 'secret.txt'), 'no');
    fastify = Fastify();
    await serveDashboard(fastify, folder);
  });
  afterAll(async () => {
    await fastify.close();
    rmSync(folder, { recursive: true });
  });

  it('are a page at each of its addresses, that allows nothing inline, nothing from elsewhere, and no frame around it', async () => {
    for (const url of ['/', '/jobs/one?id=1', '/incidents/7/postmortem']) {
      const { statusCode, headers, body } = await fastify.inject({ url });
      expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([200, 'text/html; charset=utf-8', 'no-cache']);
      const policy = String(headers['content-security-policy']);
      const [, nonce = ''] = /'nonce-([^']+)'/.exec(policy) ?? [];
      expect(policy).toMatch(/^default-src 'none'; script-src 'self';/);
      expect(policy).toContain(`frame-ancestors 'none'`);
      expect(policy).not.toContain('unsafe');
      expect(body.split(`nonce="${nonce}"`)).toHaveLength(3);
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    }
  });

  it('have another nonce in each answer', async () => {
    const nonces = await Promise.all([1, 2, 3].map(async () => (await fastify.inject({ url: '/' })).headers['content-security-policy']));
    expect(new Set(nonces).size).toBe(3);
  });

  it('are kept for ever where their name changes with their content, and sent compressed to whoever takes that', async () => {
    const plain = await fastify.inject({ url: '/assets/a-1.js' });
    expect([plain.body, plain.headers['cache-control']]).toEqual([SCRIPT, 'public, max-age=31536000, immutable']);
    const packed = await fastify.inject({ url: '/assets/a-1.js', headers: { 'accept-encoding': 'gzip' } });
    expect([packed.body, packed.headers['content-encoding']]).toEqual(['compressed', 'gzip']);
  });

  it('are not remembered as gone by anybody once they are there again, nor by a range that they have not', async () => {
    const [file, away] = [join(folder, 'assets/a-1.js'), join(folder, 'away')];
    renameSync(file, away);
    const gone = await fastify.inject({ url: '/assets/a-1.js' });
    renameSync(away, file);
    const range = await fastify.inject({ url: '/assets/a-1.js', headers: { range: 'bytes=999999-' } });
    expect([gone, range].map(({ statusCode, headers }) => [statusCode, headers['cache-control']])).toEqual([[404, undefined], [416, undefined]]);
  });

  it.each(['/', '/assets/a-1.js'])('answer HEAD at %s with what GET would say', async (url) => {
    const [head, get] = await Promise.all([fastify.inject({ method: 'HEAD', url }), fastify.inject({ url })]);
    expect([head.statusCode, head.body, head.headers['content-type']]).toEqual([200, '', get.headers['content-type']]);
  });

  it.each(['/assets/../secret.txt', '/assets/%2e%2e/secret.txt', '/secret.txt', '/index.html', '/assets/a-1.js.gz', '/assets/', '//assets/a-1.js'])(
    'are those files and no others: not %s',
    async (url) => {
      expect((await fastify.inject({ url })).statusCode).toBe(404);
    },
  );

  it('say plainly that they have not been built, where they have not', async () => {
    const bare = Fastify();
    await serveDashboard(bare, join(folder, 'nowhere'));
    const { statusCode, headers, body } = await bare.inject({ url: '/' });
    expect([statusCode, headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8']);
    expect(body).toContain('npm run build');
    await bare.close();
  });
});
