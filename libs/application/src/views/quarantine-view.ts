import type { QuarantineEntry } from '#libs/contracts';
import type { QuarantineRow } from '../ports/read-models.port.js';
import { iso } from './time.js';

/** `size` is of all that was kept; a list shows only the beginning of it. */
export function quarantineView(row: QuarantineRow): QuarantineEntry & { readonly truncated?: true } {
  const named = namesIn(row);
  return {
    entryId: row.id,
    at: iso(row.receivedMs),
    reason: row.reason as QuarantineEntry['reason'],
    detail: row.detail,
    lane: row.lane,
    ...(row.namespace !== null && { namespace: row.namespace }),
    queue: row.queue,
    id: row.jobId,
    ...named,
    bytes: row.size,
    ...bodyOf(row),
    ...(row.bytes.length < row.size && { truncated: true }),
    state: row.state as QuarantineEntry['state'],
    ...(row.closedMs !== null && { closedAt: iso(row.closedMs) }),
    ...(row.closedBy !== null && { closedBy: row.closedBy }),
    ...(row.closedReason !== null && { closedReason: row.closedReason }),
  };
}

/** What is no UTF-8 goes out as base64: the bytes are what matters here. A preview may end within a character. */
function bodyOf({ bytes, size }: QuarantineRow): { body: string; encoding: 'utf8' | 'base64' } {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { body: decoder.decode(bytes, { stream: bytes.length < size }), encoding: 'utf8' };
  } catch {
    return {
      body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
      encoding: 'base64',
    };
  }
}

type Names = Pick<QuarantineEntry, 'source' | 'eventId' | 'type'>;

/** The event's own names, where it can be read at all. */
function namesIn(row: QuarantineRow): Names {
  if (row.bytes.length < row.size) return {};
  try {
    const event = JSON.parse(Buffer.from(row.bytes).toString('utf8')) as unknown;
    if (typeof event !== 'object' || event === null) return {};
    const { source, id, type } = event as Record<string, unknown>;
    return { source: textOf(source), eventId: textOf(id), type: textOf(type) };
  } catch {
    return {};
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
