/** What a migration may not do, since replicas of the release before it serve while it runs and after it. */
export interface Breach {
  readonly rule: string;
  readonly statement: string;
}

/** Bounded by replicas, shards or queues: reading all of one, or locking it for a moment, costs nothing. */
const SMALL: ReadonlySet<string> = new Set([
  'installation', 'shards', 'publishers', 'publisher_replicas', 'replicas', 'lanes', 'queues', 'queue_states', 'queue_levels', 'queue_gates',
  'queue_guards', 'budgets', 'saturations', 'maintenance_windows', 'refused_revisions', 'redrives', 'dead_letter_readers',
]);

interface Seen {
  readonly text: string;
  /** The table that it is about; null for none. */
  readonly table: string | null;
  /** Made by the same migration: nobody uses it yet. */
  readonly isNew: boolean;
}

const VOLATILE = /\bDEFAULT\s+(?:now|clock_timestamp|statement_timestamp|random|gen_random_uuid|nextval|jobwarden\.\w+)\s*\(/iu;
const isBig = ({ table, isNew }: Seen): boolean => table !== null && !isNew && !SMALL.has(table);
const adds = (text: string): readonly string[] => text.split(/,(?![^(]*\))/u).filter((part) => /\bADD\s+COLUMN\b/iu.test(part));

const RULES: readonly { readonly rule: string; readonly broken: (seen: Seen) => boolean }[] = [
  {
    rule: 'an index on a table that may be large keeps writers out while it is built',
    broken: (seen) => /^CREATE\s+(?:UNIQUE\s+)?INDEX\b(?!\s+CONCURRENTLY)/iu.test(seen.text) && isBig(seen),
  },
  {
    rule: 'a change of type, a generated column or a default that differs by row writes the table anew',
    broken: (seen) =>
      /^ALTER\s+TABLE\b/iu.test(seen.text) && !seen.isNew && (/\bTYPE\s+\w/iu.test(seen.text) || adds(seen.text).some((add) => VOLATILE.test(add) || /\bGENERATED\b|\bserial\b/iu.test(add)) || /\bSET\s+(?:UN)?LOGGED|\bSET\s+TABLESPACE/iu.test(seen.text)),
  },
  {
    rule: 'a column that must be given, and has no default, is not given by older replicas',
    broken: (seen) =>
      /^ALTER\s+TABLE\b/iu.test(seen.text) && !seen.isNew && (/\bSET\s+NOT\s+NULL\b/iu.test(seen.text) || adds(seen.text).some((add) => /\bNOT\s+NULL\b/iu.test(add) && !/\bDEFAULT\b/iu.test(add))),
  },
  {
    rule: 'a constraint on a table that may be large reads all of it under a lock: NOT VALID first',
    broken: (seen) => /^ALTER\s+TABLE\b/iu.test(seen.text) && /\bADD\s+(?:CONSTRAINT|PRIMARY|UNIQUE|CHECK|FOREIGN)\b/iu.test(seen.text) && !/\bNOT\s+VALID\b/iu.test(seen.text) && isBig(seen),
  },
  {
    rule: 'rows of a table that may be large are not changed by a migration, but by the service as it comes by',
    broken: (seen) => /^(?:UPDATE|DELETE)\b/iu.test(seen.text) && isBig(seen),
  },
  {
    rule: 'what older replicas use is taken away by a migration of a later release, whose name begins with Contract',
    broken: (seen) => !seen.isNew && (/^DROP\s+(?:TABLE|FUNCTION|VIEW|SCHEMA)\b/iu.test(seen.text) || /^ALTER\s+TABLE\b.*\b(?:DROP\s+COLUMN|RENAME)\b/isu.test(seen.text)),
  },
  { rule: 'locks, vacuums and transactions are the runner’s', broken: ({ text }) => /^(?:LOCK|VACUUM|CLUSTER|REINDEX|BEGIN|COMMIT|ROLLBACK|SET)\b/iu.test(text) },
];
const UNGRANTED = 'a table without a grant cannot be used by the service';

/** Every breach of one migration's statements; `contract`: it may take away. */
export function breaches(sql: string, { contract = false } = {}): readonly Breach[] {
  const texts = statements(sql);
  const made = new Set(texts.flatMap((text) => /^CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?jobwarden\.(\w+)/iu.exec(text)?.[1] ?? []));
  const found = texts.flatMap((text) => {
    const table = /^(?:CREATE\s+(?:UNIQUE\s+)?INDEX\s.*?\bON|ALTER\s+TABLE|UPDATE|DELETE\s+FROM|DROP\s+TABLE)\s+(?:IF\s+EXISTS\s+|ONLY\s+)*jobwarden\.(\w+)/isu.exec(text)?.[1] ?? null;
    const seen = { text, table, isNew: table !== null && made.has(table) };
    return RULES.filter(({ rule, broken }) => broken(seen) && !(contract && rule.includes('Contract'))).map(({ rule }) => ({ rule, statement: text }));
  });
  const granted = texts.filter((text) => /^GRANT\b/iu.test(text)).join('\n');
  const bare = [...made].filter((table) => !new RegExp(`\\bjobwarden\\.${table}\\b`, 'u').test(granted));
  return [...found, ...bare.map((table) => ({ rule: UNGRANTED, statement: table }))];
}

/** Without comments, and without the bodies of functions, which do nothing by being made. */
function statements(sql: string): readonly string[] {
  const bare = sql.replaceAll(/\$(\w*)\$.*?\$\1\$/gsu, "''").replaceAll(/--[^\n]*/gu, '').replaceAll(/'(?:[^']|'')*'/gu, "''");
  return bare.split(';').map((text) => text.trim()).filter((text) => text !== '');
}
