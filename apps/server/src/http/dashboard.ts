import fastifyStatic from '@fastify/static';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { DASHBOARD_PAGES } from './dashboard-pages.js';
import type { RouteSpec } from './route.js';

/** Where the build puts it, beside this program. */
export const DASHBOARD_FOLDER = join(import.meta.dirname, '../../../dashboard');

/** Nothing in these files is anybody's secret: all data is asked for with a token. */
const OPEN: RouteSpec = { scope: 'open', tag: 'dashboard', summary: 'The dashboard' };
const YEAR_MS = 31_536_000_000;
const NONCE = '__CSP_NONCE__';
const NOT_BUILT = 'The dashboard has not been built here. In a checkout: npm run build. The API is described at /openapi.json.\n';

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** No inline script, nothing from elsewhere, in no frame. Style elements that the kit adds carry the answer's nonce. */
function policyOf(nonce: string): string {
  return [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' data:`,
    `connect-src 'self'`,
    `frame-ancestors 'none'`,
    `base-uri 'none'`,
    `form-action 'self'`,
  ].join('; ');
}

/**
 * Serves the dashboard: its page at the addresses of its pages, its files at theirs. Each file has a route of its own, so that
 * nothing it is asked for can lead out of the folder, and nothing of it can stand before a route of the API.
 */
export async function serveDashboard(fastify: FastifyInstance, folder = DASHBOARD_FOLDER): Promise<void> {
  const page = pageOf(folder);
  for (const url of DASHBOARD_PAGES) {
    fastify.get(url, { config: { spec: OPEN } }, (_request, reply) => (page === null ? notBuilt(reply) : sendPage(reply, page)));
  }
  if (page === null) return;
  await fastify.register(fastifyStatic, { root: folder, serve: false, preCompressed: true, cacheControl: false });
  for (const file of assetsOf(folder)) {
    fastify.get(`/${file}`, { config: { spec: OPEN } }, (_request, reply) =>
      // Its name changes with its content. Only what is there is kept for ever: no answer that it is gone, or no such range of it.
      reply.headers(HEADERS).sendFile(file, { cacheControl: true, immutable: true, maxAge: YEAR_MS }),
    );
  }
}

/** null: it has not been built. In a source tree there is a page of this name too, which no browser could use. */
function pageOf(folder: string): string | null {
  const file = join(folder, 'index.html');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text.includes(NONCE) ? text : null;
}

function assetsOf(folder: string): string[] {
  return readdirSync(join(folder, 'assets'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(br|gz)$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

function sendPage(reply: FastifyReply, page: string): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  return reply
    .headers({ ...HEADERS, 'content-security-policy': policyOf(nonce), 'cache-control': 'no-cache' })
    .type('text/html; charset=utf-8')
    .send(page.replaceAll(NONCE, nonce));
}

function notBuilt(reply: FastifyReply): FastifyReply {
  return reply.code(404).headers(HEADERS).type('text/plain; charset=utf-8').send(NOT_BUILT);
}
