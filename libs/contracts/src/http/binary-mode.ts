import { setOwn, type JsonObject } from '../json.js';

/** Headers as Node gives them: lower-case names, bytes as latin1. */
export type HttpHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

const PREFIX = 'ce-';

/** Is the event in the headers? CloudEvents asks for these four; any of them shows the intent. */
export function hasAttributes(headers: HttpHeaders): boolean {
  return ['ce-specversion', 'ce-type', 'ce-id', 'ce-source'].some((name) => headers[name] !== undefined);
}

/** The structured event that binary mode means: `ce-*` headers and the body as `data`. */
export function structuredOf(headers: HttpHeaders, contentType: string | undefined, data: unknown): JsonObject {
  const event: JsonObject = {};
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (value === undefined || !lower.startsWith(PREFIX) || lower.length === PREFIX.length) continue;
    setOwn(event, lower.slice(PREFIX.length), decoded(typeof value === 'string' ? value : value.join(', ')));
  }
  if (contentType !== undefined) event['datacontenttype'] = contentType;
  if (data !== undefined) event['data'] = data;
  return event;
}

/**
 * A header's value as CloudEvents writes it: perhaps quoted, everything outside ASCII percent-encoded as UTF-8. What
 * is not validly encoded is taken as it stands; raw UTF-8, which some clients send, is read as UTF-8.
 */
function decoded(raw: string): string {
  const value = utf8Of(raw.trim());
  const unquoted =
    value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/gsu, '$1') : value;
  if (!unquoted.includes('%')) return unquoted;
  return unquoted.replaceAll(/(?:%[0-9a-f]{2})+/giu, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

function utf8Of(latin1: string): string {
   
  if (!/[^\u0000-\u007f]/u.test(latin1) || /[^\u0000-\u00ff]/u.test(latin1)) return latin1;
  const read = Buffer.from(latin1, 'latin1').toString('utf8');
  return read.includes('\ufffd') ? latin1 : read;
}
