import type { FaultLog } from './fault-log.js';
import { readFields, type FieldTable } from './fields.js';
import type { Reader } from './readers.js';
import type { Tree } from './yaml-tree.js';

interface TraceSettings {
  readonly url: string;
}

const PLACE = '{traceId}';

const templateReader: Reader<string> = {
  type: 'URL',
  rule: `\`http://\` or \`https://\` with \`${PLACE}\` in it, without user and password`,
  read(tree) {
    const written = tree.kind === 'scalar' ? tree.text : '';
    const filled = written.replaceAll(PLACE, '0'.repeat(32));
    const url = URL.canParse(filled) ? new URL(filled) : null;
    // Not quoted: a URL may hold a password.
    if (url === null || !/^https?:$/u.test(url.protocol) || filled === written)
      return { ok: false, rule: `must be an http or https URL with ${PLACE} in it`, mend: `write https://host/path/${PLACE}` };
    if (url.username === '' && url.password === '') return { ok: true, value: written };
    return { ok: false, rule: 'must not hold user and password: it is shown to whoever may read', mend: 'take them out' };
  },
};

export const TRACE_FIELDS: FieldTable<TraceSettings> = {
  url: {
    reader: templateReader,
    written: null,
    meaning: `Where a trace is looked at: pages link there, with the trace's id in place of \`${PLACE}\` ([traces](traces.md)).`,
  },
};

/** null: nowhere that is known. */
export function readTraces(tree: Tree | undefined, log: FaultLog): { readonly url: string | null } {
  if (tree === undefined) return { url: null };
  return { url: readFields<TraceSettings>({ tree, path: 'traces', log }, TRACE_FIELDS).url?.value ?? null };
}
