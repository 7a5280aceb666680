import type { Fault } from './fault.js';
import type { PolicyFile } from './policy-types.js';
import { listPolicies } from './resolve-policy.js';

/**
 * Whether the variables are there that `rollback.schema.databaseUrlEnv` names, and hold an address: a database that cannot be asked would be found
 * only when a release is to be chosen. Never tells what they hold.
 */
export function checkSchemaDatabases(file: PolicyFile, env: Readonly<Record<string, string | undefined>>): readonly Fault[] {
  const faults = new Map<string, Fault>();
  for (const { resolved } of listPolicies(file)) {
    const name = resolved.policy.rollback.schema?.databaseUrlEnv;
    const rule = name === undefined ? null : faultOf(name, env[name]);
    if (name === undefined || rule === null) continue;
    const { at = '', line = 1 } = resolved.origins.get('rollback.schema.databaseUrlEnv') ?? {};
    const path = `${at === '' ? '' : `${at}.`}rollback.schema.databaseUrlEnv`;
    const mend = 'set it to postgres://user:password@host/database of a user that may only read; a variable is read at the start only';
    // What several queues inherit from one line is one fault.
    faults.set(`${path} ${String(line)}`, { code: 'no-schema-database', source: file.fileName, line, column: 1, path, rule, mend });
  }
  return [...faults.values()];
}

function faultOf(name: string, value: string | undefined): string | null {
  if (value === undefined || value === '') return `names the variable ${name}, which is not set`;
  const url = URL.canParse(value) ? new URL(value) : null;
  return url !== null && /^postgres(?:ql)?:$/u.test(url.protocol) ? null : `names the variable ${name}, which holds no address of a PostgreSQL database`;
}
