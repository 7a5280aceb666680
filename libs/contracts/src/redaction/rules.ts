/**
 * A rule of redaction, checked. What it hits is replaced before anything is stored.
 *
 * - by path: `data.payload.card.number` as segments; `*` is any one key or index, `**` any number of them. Arrays on
 *   the way need no segment of their own.
 * - by pattern: over every string, key and number, decoded; and over the text of what cannot be parsed.
 */
export interface RedactionRule {
  readonly match:
    | { readonly by: 'path'; readonly path: readonly string[] }
    | { readonly by: 'pattern'; readonly pattern: RegExp };
  /** Glob over queue names (`*` any characters, `?` one); null = every queue. */
  readonly queue: string | null;
  readonly replaceWith: string;
}

/** A rule as it stands in the policy file. */
export interface RawRedactionRule {
  readonly path?: string;
  /** Source of a regular expression; flags `gu`. */
  readonly pattern?: string;
  readonly in?: string;
  /** Default `[redacted]`. */
  readonly replaceWith?: string;
}

export const REDACTED = '[redacted]';

/** What names the event cannot be cut, or it would name something else: keep secrets out of names. */
const IDENTITY_PATHS: ReadonlySet<string> = new Set([
  'specversion',
  'id',
  'source',
  'subject',
  'type',
  'time',
  'namespace',
  'data.queue',
]);

/** Checks one rule of the policy file. The fault says what is wrong and what to write instead. */
export function redactionRule(
  raw: RawRedactionRule,
): { readonly ok: true; readonly rule: RedactionRule } | { readonly ok: false; readonly fault: string } {
  const queue = raw.in ?? null;
  const replaceWith = raw.replaceWith ?? REDACTED;
  if ((raw.path === undefined) === (raw.pattern === undefined)) {
    return { ok: false, fault: 'give either `path` or `pattern`, and not both' };
  }
  if (raw.path !== undefined) {
    const path = raw.path.split('.');
    if (path.includes('')) return { ok: false, fault: `path \`${raw.path}\` has an empty segment` };
    if (IDENTITY_PATHS.has(raw.path)) {
      return { ok: false, fault: `path \`${raw.path}\` names the event and is never cut; keep secrets out of names` };
    }
    return { ok: true, rule: { match: { by: 'path', path }, queue, replaceWith } };
  }
  const pattern = compiled(raw.pattern ?? '');
  if (typeof pattern === 'string') return { ok: false, fault: pattern };
  return { ok: true, rule: { match: { by: 'pattern', pattern }, queue, replaceWith } };
}

function compiled(source: string): RegExp | string {
  let pattern: RegExp;
  try {
    pattern = new RegExp(source, 'gu');
  } catch (error) {
    return `pattern is no regular expression: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (pattern.test('')) return 'pattern matches the empty text, so it would cut between all characters';
  return pattern;
}

/** Glob → test on a queue's name. */
export function queueGlob(glob: string | null): (queue: string) => boolean {
  if (glob === null || glob === '*') return () => true;
  const source = glob.replaceAll(/[.+^${}()|[\]\\]/gu, String.raw`\$&`).replaceAll('*', '.*').replaceAll('?', '.');
  const pattern = new RegExp(`^${source}$`, 'su');
  return (queue) => pattern.test(queue);
}
