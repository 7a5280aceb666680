import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '#libs/testing';
import { event, TestService } from './service.fixture.js';

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> } }>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Programs send these, of a newer version perhaps: what they say besides is let be. */
const OF_PROGRAMS = /^POST \/v1\/(?:alerts|events|evidence\/\{id\}\/done|jobs\/one\/claims|queues\/\{queue\}\/jobs\/\{id\}\/claims)$/u;

describe('a slip in the name of a member', () => {
  const database = useTestDatabase();
  let service: TestService;
  let calls: readonly { readonly call: string; readonly method: string; readonly path: string; readonly names: readonly string[] }[];

  beforeAll(async () => {
    service = await TestService.start(database.url, '');
    const { paths, components } = JSON.parse((await service.call('GET', '/openapi.json')).text) as Document;
    const whole = (schema: Schema): Schema => (schema.$ref === undefined ? schema : (components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}));
    calls = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody }]) => {
        const schema = requestBody?.content['application/json']?.schema;
        const names = Object.keys(schema === undefined ? {} : (whole(schema).properties ?? {}));
        return names.length === 0 ? [] : [{ call: `${method.toUpperCase()} ${path}`, method: method.toUpperCase(), path, names }];
      }),
    );
  });
  afterAll(() => service.stop());

  it('is refused in every call that a person may type, and names what was meant', async () => {
    const typed = calls.filter(({ call }) => !OF_PROGRAMS.test(call));
    expect(typed.length).toBeGreaterThan(30);
    for (const { call, method, path, names } of typed) {
      const [meant = ''] = names;
      const { status, text } = await service.call(method, `${path.replaceAll(/\{\w+\}/gu, '1')}${named(path)}`, { body: { [`${meant.toUpperCase()}_`]: 'x' } });
      const { errors = [] } = JSON.parse(text) as { readonly errors?: readonly { readonly field: string; readonly rule: string }[] };
      expect({ call, status, errors }).toEqual({ call, status: 400, errors: [expect.objectContaining({ field: `${meant.toUpperCase()}_`, rule: `is not known here; did you mean \`${meant}\`?` })] });
    }
  });

  it('does nothing in earnest that was meant to be tried', async () => {
    await service.send(event('queued', 'j', { queue: 'orders' }));
    const open = async (body: object) => (await service.call('POST', '/v1/incidents', { body })).status;
    expect(await open({ queue: 'orders', revision: 'v2', reason: 'x', dryrun: true })).toBe(400);
    expect((await service.get('/v1/incidents')).body.items).toEqual([]);
    expect(await open({ queue: 'orders', revision: 'v2', reason: 'x', dryRun: true, ticket: 'OPS-1' })).toBeLessThan(300);
  });
});

/** Where the query says which job or queue is meant. */
const named = (path: string): string => (path.includes('/jobs/one/') ? '?queue=1&id=1' : path.startsWith('/v1/queue/') ? '?queue=1' : '');
