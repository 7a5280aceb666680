import { isObject, isRawNumber } from '../json.js';
import { isReservedType, QUARANTINE_REASON, RESERVED_SOURCE } from '../vocabulary.js';
import { EVENT_TYPES, type EventType, type SchemaError } from './event-types.js';
import { schemaFault, type Fault } from './fault.js';

/** Why an event is not what its type says. Slow: only asked once something is wrong. */
export function explain(input: unknown, type: EventType | undefined): Fault {
  if (!isObject(input)) {
    return {
      reason: QUARANTINE_REASON.unreadable,
      detail: `an event must be a JSON object, found ${nameOf(input)}: send CloudEvents 1.0, structured`,
    };
  }
  const named = input['type'];
  if (typeof named === 'string' && isReservedType(named)) {
    return {
      reason: QUARANTINE_REASON.decision_from_outside,
      detail: `only Jobwarden makes ${brief(named)}: ask for it through the API`,
    };
  }
  if (input['source'] === RESERVED_SOURCE) return reservedSource();
  if (type !== undefined) return schemaFault(problems(input, type));
  if (typeof named !== 'string') return schemaFault(`type ${named === undefined ? 'is missing' : 'must be a string'}`);
  return {
    reason: QUARANTINE_REASON.unknown_type,
    detail: `type ${brief(named)} is not known here: send one of ${[...EVENT_TYPES.keys()].join(', ')}`,
  };
}

export function reservedSource(): Fault {
  return {
    reason: QUARANTINE_REASON.decision_from_outside,
    detail: `source \`${RESERVED_SOURCE}\` is reserved for what Jobwarden itself decides: name the emitter`,
  };
}

const MAX_PROBLEMS = 3;

function problems(input: unknown, type: EventType): string {
  const told = [...new Set(type.errors(input).map((error) => problem(error, input)))];
  const more = told.length - MAX_PROBLEMS;
  return told.slice(0, MAX_PROBLEMS).join('; ') + (more > 0 ? `; and ${more} more` : '');
}

/** Names the field and the rule. Values stay out, save for numbers: they might be what redaction cuts. */
function problem(error: SchemaError, input: unknown): string {
  const path = dotted(error.instancePath);
  const { params } = error;
  switch (error.keyword) {
    case 'required':
      return (params['requiredProperties'] as string[]).map((key) => `${joined(path, key)} is missing`).join('; ');
    case 'type':
      return `${path} must be ${String(params['type'])}, found ${nameOf(at(input, error.instancePath))}`;
    case 'const':
      return `${path} must be ${JSON.stringify(params['allowedValue'])}`;
    case 'not':
      return `${path} may hold payload or payloadRef, not both`;
    default: {
      const value = at(input, error.instancePath);
      return `${path} ${error.message}${typeof value === 'number' ? `, found ${value}` : ''}`;
    }
  }
}

function segments(pointer: string): string[] {
  return pointer.split('/').slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function dotted(pointer: string): string {
  return segments(pointer).reduce((path, key) => (/^\d+$/u.test(key) ? `${path}[${key}]` : joined(path, key)), '');
}

function joined(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function at(input: unknown, pointer: string): unknown {
  return segments(pointer).reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined),
    input,
  );
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return `the number ${value}`;
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
  if (typeof value === 'boolean') return String(value);
  // Its digits might be what redaction cuts.
  if (typeof value === 'object' && isRawNumber(value)) return 'a number that no double holds exactly';
  return value === undefined ? 'nothing' : 'an object';
}

function brief(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
