import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { documentText } from '../generate.js';
import { EXAMPLES } from '../examples.js';
import { INCOMING_EVENTS, OUTGOING_EVENTS } from '../schemas/registry.js';
import { asyncApiDocument } from './document.js';

const root = join(import.meta.dirname, '../../../..');

/** The schema of AsyncAPI itself, as its makers publish it. */
function validator(): ValidateFunction {
  const file = join(root, 'node_modules/@asyncapi/specs/schemas/3.0.0.json');
  // It brings the schema of JSON Schema along, which must not be there twice.
  const ajv = new Ajv({ strict: false, meta: false, validateSchema: false });
  addFormats.default(ajv);
  return ajv.compile(JSON.parse(readFileSync(file, 'utf8')) as object);
}

interface Document {
  readonly channels: Record<string, { readonly messages: Record<string, { readonly $ref: string }> }>;
  readonly operations: Record<string, { readonly action: string; readonly channel: { readonly $ref: string } }>;
  readonly components: Record<string, Record<string, object>>;
}

const document = asyncApiDocument() as unknown as Document;

describe('the AsyncAPI document', () => {
  test('is valid AsyncAPI 3.0, and a broken twin is not', () => {
    const validate = validator();
    validate(document);
    expect(validate.errors).toBeNull();
    for (const broken of [
      { ...document, operations: { x: { action: 'shout', channel: { $ref: '#/channels/events' } } } },
      { ...document, channels: { x: { addres: 'y' } } },
      { ...document, components: { ...document.components, securitySchemes: { x: { type: 'scram' } } } },
    ]) {
      expect(validate(broken)).toBe(false);
    }
  });

  test('has no reference that leads nowhere', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((m) => m[1]!);
    expect(refs.length).toBeGreaterThan(40);
    for (const ref of refs) {
      const found = ref.split('/').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document);
      expect(found, ref).toBeDefined();
    }
  });

  test('has every event that comes in or goes out in one channel, with its schema and its example', () => {
    const placed = Object.values(document.channels).flatMap((c) => Object.keys(c.messages));
    const types = Object.keys({ ...INCOMING_EVENTS, ...OUTGOING_EVENTS });
    expect(placed.toSorted()).toEqual(types.toSorted());
    expect(Object.keys(document.channels)).toEqual(['events', 'commands', 'invalidations', 'dead-letters', 'incidents']);
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    for (const type of types) {
      const validate = ajv.compile(document.components['schemas']![type]!);
      validate(EXAMPLES[type]);
      expect(validate.errors, type).toBeNull();
    }
  });

  test('says that Jobwarden receives events and sends the rest', () => {
    const actions = Object.values(document.operations).map((o) => `${o.action} ${o.channel.$ref.split('/').at(-1)!}`);
    expect(actions).toEqual(['receive events', 'send commands', 'send invalidations', 'send dead-letters', 'send incidents']);
  });

  test('is committed as it is', () => {
    expect(readFileSync(join(root, 'docs/asyncapi.json'), 'utf8')).toBe(documentText(asyncApiDocument()));
  });
});
