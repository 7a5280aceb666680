import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_POLICY, useTestDatabase } from '#libs/testing';
import { Stage, TARGET, typesOf } from './stage.js';

const SCHEMA = { databaseUrlEnv: 'SHOP_DATABASE_URL', query: 'select max(version) from public.schema_migrations' };
/** The one to go back to works with a schema up to 38. */
const POOL = { schemas: { v1: '<=38' } };

describe('a rollback of workers whose database says itself where its schema is', () => {
  const shop = useTestDatabase();
  const stages: Stage[] = [];
  afterEach(async () => {
    for (const stage of stages.splice(0)) await stage.close();
  });

  const open = async (pool: Parameters<typeof Stage.open>[1] = POOL, url = shop.url): Promise<Stage> => {
    const stage = await Stage.open({ rollback: { ...DEFAULT_POLICY.rollback, target: TARGET, approval: false, schema: SCHEMA } }, pool);
    stages.push(stage);
    stage.env['SHOP_DATABASE_URL'] = url;
    await stage.saturate('mails');
    return stage;
  };
  const at = async (version: number): Promise<void> => {
    const client = new pg.Client({ connectionString: shop.url });
    await client.connect();
    await client.query('CREATE TABLE IF NOT EXISTS public.schema_migrations (version bigint)');
    await client.query('TRUNCATE public.schema_migrations');
    await client.query('INSERT INTO public.schema_migrations VALUES ($1)', [version]);
    await client.end();
  };

  it('is refused before anything is written once the database has moved on past every healthy release (K8)', async () => {
    await at(39);
    const stage = await open();
    const steps = await stage.drive(stage.controller());
    expect(steps.at(-1)).toMatchObject({ type: 'escalated', evidence: { code: 'schema_too_old' } });
    expect(steps.at(-1)?.reason).toContain('v1 needs a schema <=38, the database is at 39');
    expect([typesOf(steps).includes('rollback-begun'), stage.applied, (await stage.pool()).revision]).toEqual([false, 0, 'v2']);
  });

  it('goes through where the database is at a version that the release works with', async () => {
    await at(38);
    const stage = await open();
    expect((await stage.drive(stage.controller())).at(-1)?.type).toBe('resolved');
    expect([stage.applied, (await stage.pool()).revision]).toEqual([1, 'v1']);
  });

  it('believes neither the object nor the database alone where they differ', async () => {
    await at(38);
    const stage = await open({ ...POOL, schemaVersion: '39' });
    expect((await stage.drive(stage.controller())).at(-1)).toMatchObject({ type: 'escalated', evidence: { code: 'schema_too_old' } });
    expect(stage.applied).toBe(0);
  });

  it('is refused where the database cannot be asked, with the reason, though the object names a version that fits', async () => {
    const stage = await open({ ...POOL, schemaVersion: '38' }, 'postgres://shop:tr0ub4dor@127.0.0.1:9/shop');
    const steps = await stage.drive(stage.controller());
    expect(steps.at(-1)).toMatchObject({ type: 'escalated', evidence: { code: 'schema_unknown' } });
    expect(steps.at(-1)?.reason).toContain('the database of SHOP_DATABASE_URL could not be asked');
    expect(JSON.stringify(steps)).not.toContain('tr0ub4dor');
    expect(stage.applied).toBe(0);
  });

  it('asks no database where no release says which schema it needs', async () => {
    const stage = await open({}, 'postgres://shop:tr0ub4dor@127.0.0.1:9/shop');
    expect((await stage.drive(stage.controller())).at(-1)?.type).toBe('resolved');
    expect(stage.applied).toBe(1);
  });
});
