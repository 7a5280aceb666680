import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import * as contracts from '#libs/contracts';
import { SERVER_SCHEMAS } from '../rest/schemas.js';
import { BODIES, plain } from './route.js';

type Json = Record<string, unknown>;

/** The description of the service, made when it is first asked for. */
export class OpenApi {
  private made: OpenAPIObject | null = null;
  private app: INestApplication | null = null;

  describe(app: INestApplication): void {
    this.app = app;
  }

  document(): OpenAPIObject {
    if (this.app === null) throw new Error('there is no application to describe yet');
    this.made ??= documentOf(this.app);
    return this.made;
  }
}

function documentOf(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.1')
    .setTitle('Jobwarden')
    .setDescription(
      'The truth about background jobs: what happened to each, where it stands, and what is done about it.',
    )
    .setVersion('v1')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'Needed where the policy file has tokens.' }, 'token')
    .build();
  const document = SwaggerModule.createDocument(app, config) as unknown as Json & {
    paths: Record<string, Record<string, Json>>;
  };
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) complete(path, method, operation);
  }
  return withNamedSchemas(document) as unknown as OpenAPIObject;
}

/** A handler that answers under two paths takes its names from the path in one, from the query in the other. */
function complete(path: string, method: string, operation: Json): void {
  operation['operationId'] = `${method} ${path}`.replaceAll(/[^A-Za-z0-9]+/g, '-').replace(/-$/, '');
  const parameters = (operation['parameters'] ?? []) as (Json & { name: string; in: string; required?: boolean })[];
  const inPath = (name: string) => path.includes(`{${name}}`);
  const kept = parameters.filter((p) => (p.in === 'path' ? inPath(p.name) : !inPath(p.name)));
  const byQuery = path.startsWith('/v1/jobs/one') || /^\/v1\/queue(\/|$)/.test(path);
  operation['parameters'] = kept.map((p) =>
    byQuery && (p.name === 'queue' || p.name === 'id') ? { ...p, required: true } : p,
  );
  const bodies = operation[BODIES];
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- a fixed name, kept beside who writes it
  delete operation[BODIES];
  if (bodies !== undefined) operation['requestBody'] = { required: true, content: bodies };
  const access = operation['x-jobwarden-access'] as { scope: string };
  operation['security'] = access.scope === 'open' ? [] : [{ token: [] }, {}];
}

/** Schemas of the contract under their own names, each said once. */
function withNamedSchemas(document: Json): Json {
  const named = new Map<string, string>();
  const ambiguous = new Set<string>();
  const events = Object.entries(contracts.FACT_EVENTS).map(([kind, schema]) => [eventName(kind), schema] as const);
  for (const [name, schema] of [...Object.entries(contracts), ...Object.entries(SERVER_SCHEMAS), ...events]) {
    if (!isSchema(schema)) continue;
    const text = JSON.stringify(plain(schema));
    // Two names for one shape: neither would be right everywhere.
    if (named.has(text)) ambiguous.add(text);
    named.set(text, name);
  }
  for (const text of ambiguous) named.delete(text);
  const used = new Map<string, Json>();
  const refer = (node: unknown, self: string | null): unknown => {
    if (Array.isArray(node)) return node.map((item) => refer(item, null));
    if (typeof node !== 'object' || node === null) return node;
    const name = named.get(JSON.stringify(node));
    if (name === undefined || name === self)
      return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, refer(value, null)]));
    if (!used.has(name)) {
      used.set(name, {});
      used.set(name, refer(node, name) as Json);
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  const body = refer(document, null) as Json & { components?: Json };
  const schemas = Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...body, components: { ...body.components, schemas } };
}

/** `lease-renewal-failed` → `LeaseRenewalFailedEvent` */
function eventName(kind: string): string {
  return `${kind.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`;
}

function isSchema(value: unknown): value is Parameters<typeof plain>[0] {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && 'type' in value && value.type === 'object'
  );
}
