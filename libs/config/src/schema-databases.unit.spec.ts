import { describe, expect, it } from 'vitest';
import { parsePolicy } from './policy-file.js';
import { checkSchemaDatabases } from './schema-databases.js';

const parse = (text: string) => parsePolicy(text, 'policy.yaml');
const SCHEMA = 'schema: {databaseUrlEnv: SHOP_DATABASE_URL, query: "select max(version) from schema_migrations"}';
const POLICY = ['defaults:', '  rollback:', `    ${SCHEMA}`, 'queues:', '  mails: {rollback: {target: shop/mails}}', '  bills: {rollback: {schema: {databaseUrlEnv: none, query: none}}}'].join('\n');

function rules(text: string): readonly string[] {
  const parsed = parse(text);
  return parsed.ok ? [] : parsed.faults.map(({ code, path, rule }) => `${code} ${path}: ${rule}`);
}

describe('the database whose schema is asked', () => {
  it('is inherited, and taken away, as any other setting', () => {
    const parsed = parse(POLICY);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
    const queues = parsed.value.namespaces.get('default')?.queues;
    expect(queues?.get('mails')?.resolved.policy.rollback.schema).toEqual({ databaseUrlEnv: 'SHOP_DATABASE_URL', query: 'select max(version) from schema_migrations' });
    expect(queues?.get('bills')?.resolved.policy.rollback.schema).toBeNull();
  });

  it('is refused where an address stands in place of a name, without a word of it', () => {
    const written = 'defaults: {rollback: {schema: {databaseUrlEnv: "postgres://u:tr0ub4dor@h/d", query: "select 1"}}}';
    expect(rules(written)[0]).toContain('must be the name of an environment variable');
    expect(rules(written).join()).not.toContain('tr0ub4dor');
    expect(rules('defaults: {rollback: {schema: {databaseUrl: X}}}')[0]).toContain('unknown-key defaults.rollback.schema.databaseUrl');
  });

  it('is asked for once where it is not there, by its line, and never by what it holds', () => {
    const parsed = parse(POLICY);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
    const check = (value?: string) => checkSchemaDatabases(parsed.value, value === undefined ? {} : { SHOP_DATABASE_URL: value });
    expect(check()).toMatchObject([{ code: 'no-schema-database', line: 3, path: 'defaults.rollback.schema.databaseUrlEnv', rule: 'names the variable SHOP_DATABASE_URL, which is not set' }]);
    expect(check('mysql://u:tr0ub4dor@h/d')).toMatchObject([{ rule: 'names the variable SHOP_DATABASE_URL, which holds no address of a PostgreSQL database' }]);
    expect(JSON.stringify(check('tr0ub4dor'))).not.toContain('tr0ub4dor');
    expect(check('postgres://u:p@h/d')).toEqual([]);
  });
});
