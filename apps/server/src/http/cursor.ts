import { createHash } from 'node:crypto';
import type { Page, PageOf } from '#libs/application';
import { Problem } from './problem.js';

const DEFAULT_LIMIT = 100;

export interface ListQuery {
  readonly limit?: number;
  readonly next?: string;
}

export interface Listed<T> {
  readonly items: T[];
  readonly next: string | null;
}

/**
 * One page of a list. A cursor says which list and which filters it belongs to: with others it would begin in the
 * middle of something else, and nobody would notice.
 */
export async function listed<R, T>(
  list: string,
  query: ListQuery & object,
  read: (page: Page) => Promise<PageOf<R>>,
  view: (row: R) => T,
): Promise<Listed<T>> {
  const digest = digestOf(list, query);
  const after = query.next === undefined ? null : opened(query.next, digest);
  const { items, next } = await read({ limit: query.limit ?? DEFAULT_LIMIT, after });
  return { items: items.map(view), next: next === null ? null : sealed(digest, next) };
}

function digestOf(list: string, query: object): string {
  const filters = Object.entries(query)
    .filter(([name]) => name !== 'limit' && name !== 'next')
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([list, filters]))
    .digest('base64url')
    .slice(0, 11);
}

function sealed(digest: string, key: string): string {
  return Buffer.from(JSON.stringify([digest, key]), 'utf8').toString('base64url');
}

function opened(cursor: string, digest: string): string {
  const [found, key] = parsed(cursor);
  if (found === digest && typeof key === 'string') return key;
  throw new Problem(
    400,
    'cursor_invalid',
    'This `next` belongs to another list, or to other filters; begin again without it.',
  );
}

function parsed(cursor: string): readonly unknown[] {
  try {
    const value = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown;
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
