import { Validator } from '@seriousme/openapi-schema-validator';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeService, routesAlone } from '../src/http/describe-service.js';
import type { BuiltApp } from '../src/http/build-app.js';

/** Boots the real module: a class injected by type but imported with `import type` would fail here, and nowhere before. */
describe('the description of the service', () => {
  let built: BuiltApp;

  beforeAll(async () => {
    built = await routesAlone();
  });
  afterAll(async () => {
    await built.app.close();
  });

  it('is valid OpenAPI 3.1', async () => {
    const document = JSON.parse(JSON.stringify(built.openApi.document())) as Record<string, unknown>;
    expect(document['openapi']).toBe('3.1.1');
    expect(await new Validator().validate(document)).toMatchObject({ valid: true });
    const broken = { ...document, paths: { '/x': { get: { responses: 7 } } } };
    expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
  });

  it('names every route that the server has, and no other', () => {
    const { paths } = built.openApi.document();
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const served = built.routes.routes
      .filter(({ method }) => method !== 'HEAD')
      .map(({ method, path }) => `${method} ${path.replaceAll(/:([a-z]+)/gi, '{$1}')}`);
    expect(described.sort()).toEqual(served.sort());
    expect(new Set(described).size).toBe(described.length);
  });

  it('gives each operation a name of its own, an access rule, and a body where it takes one', () => {
    const operations = Object.values(built.openApi.document().paths).flatMap((methods) =>
      Object.entries(methods as Record<string, Record<string, unknown>>),
    );
    expect(new Set(operations.map(([, operation]) => operation['operationId'])).size).toBe(operations.length);
    for (const [, operation] of operations) expect(operation['x-jobwarden-access']).toHaveProperty('scope');
    const puts = operations.filter(([method]) => method === 'put');
    expect(puts.length).toBeGreaterThan(0);
    for (const [, operation] of puts) expect(operation['requestBody']).toBeDefined();
  });

  it('is committed as it is', async () => {
    const committed = readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8');
    expect(JSON.parse(committed)).toEqual(JSON.parse(JSON.stringify(await describeService())));
  });
});
