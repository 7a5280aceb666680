import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '#libs/testing';
import { TestService } from './service.fixture.js';

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: { readonly $ref?: string; readonly additionalProperties?: boolean } }>> };
}

/** Whoever sends these is not a person who may mistype: what a newer sender says besides is let be. */
const LET_BE = ['POST /v1/alerts', 'POST /v1/events', 'POST /v1/evidence/{id}/done', 'POST /v1/jobs/one/claims', 'POST /v1/queues/{queue}/jobs/{id}/claims'];

describe('the body of a call by which somebody wants something done', () => {
  const database = useTestDatabase();
  let service: TestService;
  let calls: readonly { readonly method: string; readonly path: string; readonly closed: boolean }[] = [];

  beforeAll(async () => {
    service = await TestService.start(database.url, '');
    const document = JSON.parse((await service.call('GET', '/openapi.json')).text) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
      readonly components: { readonly schemas: Readonly<Record<string, { readonly additionalProperties?: boolean }>> };
    };
    const isClosed = ({ $ref, additionalProperties }: { readonly $ref?: string; readonly additionalProperties?: boolean }): boolean =>
      ($ref === undefined ? additionalProperties : document.components.schemas[$ref.split('/').at(-1) ?? '']?.additionalProperties) === false;
    calls = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody }]) => {
        const schema = requestBody?.content['application/json']?.schema;
        return schema === undefined ? [] : [{ method: method.toUpperCase(), path, closed: isClosed(schema) }];
      }),
    );
  });
  afterAll(() => service.stop());

  it('is closed in every one of them', () => {
    const open = calls.filter(({ closed }) => !closed).map(({ method, path }) => `${method} ${path}`);
    expect(open.filter((call) => !call.includes('/flagger/')).sort()).toEqual(LET_BE);
    expect(calls.filter(({ closed }) => closed).length).toBeGreaterThan(40);
  });

  it('is refused with a member that is not known: nothing is done to everything because a filter was mistyped', async () => {
    for (const { method, path } of calls.filter(({ closed }) => closed)) {
      const { status, text } = await service.call(method, `${path.replaceAll(/\{\w+\}/gu, '1')}${named(path)}`, { body: { reason: 'x', dryrun: true } });
      const { errors = [] } = JSON.parse(text) as { readonly errors?: readonly { readonly field: string; readonly rule: string }[] };
      expect({ call: `${method} ${path}`, status, unknown: errors.filter(({ rule }) => rule === 'is not known here').map(({ field }) => field) }).toEqual({ call: `${method} ${path}`, status: 400, unknown: expect.arrayContaining(['dryrun']) as string[] });
    }
  });
});

/** Where the query says which job or queue is meant. */
const named = (path: string): string => (path.includes('/jobs/one/') ? '?queue=1&id=1' : path.startsWith('/v1/queue/') ? '?queue=1' : '');
