import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { PayloadSchemas, SchemaFault } from '#libs/application';

interface Compiled {
  readonly version: string;
  /** A string: why it cannot be used. */
  readonly validate: ValidateFunction | string;
}

const MAX_FAULTS = 20;
/** So many are kept ready. */
const MAX_READY = 100;

/** JSON Schemas in files beside the policy file. A schema that refers to others elsewhere cannot be used: nothing is fetched. */
export class FileSchemas implements PayloadSchemas {
  private readonly ready = new Map<string, Compiled>();

  /** `folder`: what relative paths are relative to. */
  constructor(private readonly folder: string) {}

  async faultsOf(schema: string, value: unknown): Promise<readonly SchemaFault[] | string> {
    const { validate } = await this.compiled(resolve(this.folder, schema));
    if (typeof validate === 'string') return validate;
    return validate(value) ? [] : (validate.errors ?? []).slice(0, MAX_FAULTS).map(faultOf);
  }

  private async compiled(path: string): Promise<Compiled> {
    let version: string;
    try {
      const { mtimeMs, size } = await stat(path);
      version = `${String(mtimeMs)}/${String(size)}`;
    } catch {
      return { version: '', validate: 'there is no such file, or it cannot be read' };
    }
    const known = this.ready.get(path);
    if (known?.version === version) return known;
    const compiled = { version, validate: await compile(path) };
    if (this.ready.size >= MAX_READY) this.ready.clear();
    this.ready.set(path, compiled);
    return compiled;
  }
}

async function compile(path: string): Promise<ValidateFunction | string> {
  let schema: unknown;
  try {
    schema = JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return 'it is no JSON';
  }
  if (typeof schema !== 'object' || schema === null) return 'a JSON Schema is an object';
  try {
    return validatorOf('$schema' in schema ? String(schema.$schema) : '').compile(schema);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Draft 7 and what is like it, unless the schema says that it is newer. All faults are told at once. */
function validatorOf(draft: string): Pick<Ajv, 'compile'> {
  const options = { allErrors: true, strict: false } as const;
  if (draft.includes('2020-12')) return withFormats(new Ajv2020(options));
  return withFormats(draft.includes('2019-09') ? new Ajv2019(options) : new Ajv(options));
}

type AnyAjv = Parameters<typeof addFormats.default>[0];

function withFormats(ajv: AnyAjv): AnyAjv {
  addFormats.default(ajv);
  return ajv;
}

function faultOf({ instancePath, message, keyword, params }: ErrorObject): SchemaFault {
  const unknown = keyword === 'additionalProperties' ? `: ${JSON.stringify((params as { additionalProperty?: unknown }).additionalProperty)}` : '';
  return { path: instancePath, rule: `${message ?? keyword}${unknown}` };
}
