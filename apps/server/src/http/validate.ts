import { Compile } from 'typebox/compile';
import type { TObject, TSchema } from 'typebox';
import { Problem } from './problem.js';

/** One thing wrong with a request. */
export interface InputFault {
  /** `limit`, `reason`, `jobs/0/id`; empty for the whole. */
  readonly field: string;
  readonly rule: string;
  /** What to send. */
  readonly send: string;
}

interface Check {
  readonly Check: (value: unknown) => boolean;
  readonly Errors: (
    value: unknown,
  ) => readonly {
    readonly instancePath: string;
    readonly message: string;
    readonly keyword: string;
    readonly params: object;
  }[];
}

const compiled = new WeakMap<TSchema, Check>();

function checkOf(schema: TSchema): Check {
  let check = compiled.get(schema);
  if (check === undefined) {
    check = Compile(schema);
    compiled.set(schema, check);
  }
  return check;
}

/** The value, when it fits; else a 400 with every fault: which field, which rule, what to send. */
export function checked(schema: TSchema, value: unknown, where: string): unknown {
  const check = checkOf(schema);
  if (check.Check(value)) return value;
  throw invalid(where, faultsOf(check, schema, value));
}

/** The value, when every text of it can be stored; else a 400 that names the first which cannot. Nests as it likes. */
export function storable(value: unknown, where: string): unknown {
  const open: [string, unknown][] = [['', value]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [field, found] = next;
    if (typeof found === 'string' && found.includes('\0')) {
      throw invalid(where, [{ field, rule: 'holds a NUL character, which cannot be stored', send: 'Leave it out.' }]);
    }
    if (typeof found !== 'object' || found === null) continue;
    for (const [name, inner] of Object.entries(found)) open.push([field === '' ? name : `${field}/${name}`, inner]);
  }
  return value;
}

export function invalid(where: string, faults: readonly InputFault[]): Problem {
  const [first] = faults;
  const named = first === undefined ? '' : `: ${first.field === '' ? '' : `\`${first.field}\` `}${first.rule}`;
  const more = faults.length > 1 ? ` (and ${String(faults.length - 1)} more)` : '';
  return new Problem(400, 'invalid', `The ${where} is not valid${named}${more}.`, {
    title: 'Not valid',
    members: { errors: faults },
  });
}

function faultsOf(check: Check, schema: TSchema, value: unknown): InputFault[] {
  const faults = new Map<string, InputFault>();
  for (const { instancePath, message, keyword, params } of check.Errors(value)) {
    if (keyword === 'required') {
      const missing = (params as { requiredProperties?: readonly string[] }).requiredProperties ?? [];
      for (const name of missing)
        add(faults, { field: joined(instancePath, name), rule: 'is missing', send: described(schema, name) });
      continue;
    }
    const field = instancePath.slice(1);
    if (keyword === 'boolean') {
      add(faults, { field, rule: 'is not known here', send: 'Leave it out, or correct its name.' });
      continue;
    }
    // Each of them was named just before.
    if (keyword === 'additionalProperties' && faults.size > 0) continue;
    add(faults, { field, rule: message, send: described(schema, field.split('/')[0] ?? '') });
    if (faults.size >= 20) break;
  }
  return [...faults.values()];
}

/** Of several complaints about one field (a union complains once per branch) the first says it. */
function add(faults: Map<string, InputFault>, fault: InputFault): void {
  if (!faults.has(fault.field)) faults.set(fault.field, fault);
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path.slice(1)}/${name}`;
}

interface Described {
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly { readonly const?: unknown }[];
}

function described(schema: TSchema, name: string): string {
  const property = (schema as Partial<TObject>).properties?.[name] as Described | undefined;
  const words = (property?.enum ?? property?.anyOf?.map((branch) => branch.const) ?? []).filter(
    (word) => typeof word === 'string',
  );
  const oneOf = words.length > 0 ? `One of ${words.join(', ')}.` : '';
  return [oneOf, property?.description ?? ''].filter((part) => part !== '').join(' ');
}
