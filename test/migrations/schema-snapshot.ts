import type pg from 'pg';

/** One line per thing that a migration can make: tables with columns, rights, constraints, indexes, code. */
const things = `
  select 'schema ' || nspname || ' ' || coalesce(nspacl::text, '')
    from pg_namespace where nspname = any($1)
  union all
  select 'relation ' || c.oid::regclass || ' ' || c.relkind::text || ' ' || coalesce(c.relacl::text, '') || ' '
         || coalesce(c.reloptions::text, '') || ' ' || coalesce(pg_get_viewdef(c.oid), pg_get_partkeydef(c.oid), '')
         || ' ' || coalesce(pg_get_expr(c.relpartbound, c.oid), '')
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = any($1) and c.relkind in ('r', 'p', 'v', 'm', 'S')
  union all
  select 'column ' || c.oid::regclass || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
         || case when a.attnotnull then ' not null' else '' end || ' ' || coalesce(pg_get_expr(d.adbin, d.adrelid), '')
         || ' ' || a.attidentity::text || a.attgenerated::text || ' ' || a.attstorage::text || ' ' || coalesce(a.attacl::text, '')
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid
    join pg_namespace n on n.oid = c.relnamespace
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where n.nspname = any($1) and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
  union all
  select 'constraint ' || k.conrelid::regclass || ' ' || k.conname || ' ' || pg_get_constraintdef(k.oid)
    from pg_constraint k join pg_namespace n on n.oid = k.connamespace where n.nspname = any($1)
  union all
  select 'index ' || pg_get_indexdef(i.indexrelid)
    from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = any($1)
  union all
  select 'trigger ' || pg_get_triggerdef(t.oid) || ' ' || t.tgenabled::text
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = any($1) and not t.tgisinternal
  union all
  select 'function ' || pg_get_functiondef(p.oid) || ' ' || coalesce(p.proacl::text, '')
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = any($1) and p.prokind in ('f', 'p')
  union all
  select 'type ' || format_type(t.oid, null) || ' ' || coalesce((select string_agg(enumlabel, ',' order by enumsortorder)
         from pg_enum e where e.enumtypid = t.oid), '')
    from pg_type t join pg_namespace n on n.oid = t.typnamespace
   where n.nspname = any($1) and t.typtype in ('e', 'd')`;

/** Every schema but PostgreSQL's own, and none of the runner's own table. */
export async function schemaSnapshot(client: pg.Client, migrationsTable: string): Promise<string[]> {
  const { rows: schemas } = await client.query<{ name: string }>(
    `select nspname as name from pg_namespace where nspname !~ '^(pg_|information_schema$)'`,
  );
  const { rows } = await client.query<{ thing: string }>(`select thing from (${things}) as all_things(thing)`, [
    schemas.map(({ name }) => name),
  ]);
  return rows.map(({ thing }) => thing).filter((thing) => !thing.includes(migrationsTable)).sort();
}
