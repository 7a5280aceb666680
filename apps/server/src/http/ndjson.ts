import type { ServerResponse } from 'node:http';
import { written } from './sse.js';

export const NDJSON = 'application/x-ndjson';

export interface LinesEnd {
  readonly why: 'over' | 'gone' | 'failed';
  readonly error?: unknown;
}

/**
 * Sends objects as lines. The next one is asked for only once the last one has left the process. Throws what `items`
 * throws before the first one; a later failure becomes the last line, by `failed`.
 */
export async function sendLines(
  open: () => ServerResponse,
  items: AsyncIterator<object, void, void>,
  { signal, failed }: { readonly signal: AbortSignal; readonly failed: (error: unknown) => object },
): Promise<LinesEnd> {
  const first = await items.next();
  const raw = open();
  raw.writeHead(200, { 'content-type': `${NDJSON}; charset=utf-8`, 'cache-control': 'no-cache, no-transform' });
  try {
    for (let next = first; next.done !== true; next = await items.next()) {
      if (!(await written(raw, `${JSON.stringify(next.value)}\n`, signal))) return { why: 'gone' };
    }
    return { why: 'over' };
  } catch (error) {
    if (!raw.destroyed) raw.write(`${JSON.stringify(failed(error))}\n`);
    return { why: 'failed', error };
  } finally {
    await items.return?.();
    raw.end();
  }
}
