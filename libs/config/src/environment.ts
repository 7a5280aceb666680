import { isIP } from 'node:net';
import { LOG_LEVELS, ROLES, type Environment, type LogLevel, type Role } from './environment-types.js';
import {
  ENVIRONMENT_VARIABLES,
  isKnownVariable,
  isNotForUs,
  PREFIX,
  type VariableKey,
} from './environment-variables.js';
import { failure, success, type Fault, type Result } from './fault.js';
import { Secret } from './secret.js';
import { didYouMean } from './suggest.js';

/** `process.env`, or what a test puts in its place. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Parses the environment once, and reports every fault together. An empty variable counts as absent, as
 * compose files and charts produce it for what was left out; only an empty database address is refused,
 * because falling back would silently start on another, empty database.
 */
export function readEnvironment(env: Variables): Result<Environment> {
  const reading = new Reading(env);
  const production = env['NODE_ENV'] === 'production';
  const dataDir = reading.text('dataDir');
  const url = readDatabaseUrl(reading, production);
  const environment: Environment = {
    production,
    http: Object.freeze({ host: readHost(reading), port: reading.integer('httpPort', 0, 65_535) }),
    database: Object.freeze(url === null ? { mode: 'embedded', dataDir } : { mode: 'external', url }),
    dataDir,
    configFile: reading.given('configFile'),
    roles: Object.freeze(readRoles(reading)),
    actions: reading.word<'on' | 'off'>('actions', ['on', 'off']),
    logLevel: reading.word<LogLevel>('logLevel', LOG_LEVELS),
    shards: reading.integer('shards', 1, 256),
  };
  reportUnknown(env, reading);
  return reading.faults.length > 0 ? failure(reading.faults) : success(Object.freeze(environment));
}

/** Reads variables and gathers what is wrong with them; a faulty one reads as its default. */
class Reading {
  readonly faults: Fault[] = [];
  readonly #env: Variables;

  constructor(env: Variables) {
    this.#env = env;
  }

  given(key: VariableKey): string | null {
    const value = this.#env[ENVIRONMENT_VARIABLES[key].name];
    return value === undefined || value.trim() === '' ? null : value.trim();
  }

  isEmpty(key: VariableKey): boolean {
    return this.#env[ENVIRONMENT_VARIABLES[key].name]?.trim() === '';
  }

  text(key: VariableKey): string {
    return this.given(key) ?? ENVIRONMENT_VARIABLES[key].fallback ?? '';
  }

  integer(key: VariableKey, min: number, max: number): number {
    const fallback = Number(ENVIRONMENT_VARIABLES[key].fallback);
    const value = this.given(key);
    if (value === null) return fallback;
    const parsed = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (parsed >= min && parsed <= max) return parsed;
    // `JOBWARDEN_HTTP_PORT=tcp://10.0.0.1:7411` is what Kubernetes makes of a Service named `jobwarden-http`.
    const mend = value.startsWith('tcp://')
      ? 'a Kubernetes Service set this; rename it, or set enableServiceLinks: false in the pod'
      : `write a number, such as ${String(fallback)}`;
    this.fault(
      key,
      'not-a-number',
      `must be a whole number from ${String(min)} to ${String(max)}, is "${shown(value)}"`,
      mend,
    );
    return fallback;
  }

  word<Word extends string>(key: VariableKey, words: readonly Word[]): Word {
    const value = this.given(key) ?? ENVIRONMENT_VARIABLES[key].fallback;
    const found = words.find((word) => word === value);
    if (found !== undefined) return found;
    this.unknownWord(key, value ?? '', words);
    return words[0] as Word;
  }

  unknownWord(key: VariableKey, value: string, words: readonly string[]): void {
    const guess = didYouMean(value, words);
    const mend = guess === null ? `write one of ${words.join(', ')}` : `did you mean "${guess}"?`;
    this.fault(key, 'unknown-word', `must be one of ${words.join(', ')}, is "${shown(value)}"`, mend);
  }

  fault(key: VariableKey | { readonly name: string }, code: string, rule: string, mend: string): void {
    const path = typeof key === 'string' ? ENVIRONMENT_VARIABLES[key].name : key.name;
    this.faults.push({ code, source: 'environment', path, rule, mend });
  }
}

function readDatabaseUrl(reading: Reading, production: boolean): Secret | null {
  const value = reading.given('databaseUrl');
  if (value === null) {
    if (reading.isEmpty('databaseUrl')) {
      reading.fault(
        'databaseUrl',
        'empty',
        'is set but empty',
        'give the address, or unset it to use the embedded database',
      );
    } else if (production) {
      reading.fault(
        'databaseUrl',
        'embedded-in-production',
        'is required when NODE_ENV=production: the embedded database is for trying out',
        'give the address of a PostgreSQL, as postgres://user:password@host:5432/database',
      );
    }
    return null;
  }
  // The value is a secret: neither rule nor mend may quote any of it.
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:')) {
    const mend = 'write postgres://user:password@host:5432/database, with special characters percent-encoded';
    reading.fault('databaseUrl', 'not-a-database-url', 'must be the URL of a PostgreSQL', mend);
    return null;
  }
  return new Secret(value);
}

function readHost(reading: Reading): string {
  const value = reading.text('httpHost');
  const bare = /^\[.*\]$/.test(value) ? value.slice(1, -1) : value;
  if (isIP(bare) !== 0 || /^[a-z0-9](?:[a-z0-9.-]{0,252})$/i.test(bare)) return bare;
  const mend = 'write an address such as 127.0.0.1 or ::1; the port has its own variable, JOBWARDEN_HTTP_PORT';
  reading.fault('httpHost', 'not-a-host', `must be an address or a host name, is "${shown(value)}"`, mend);
  return '127.0.0.1';
}

function readRoles(reading: Reading): Role[] {
  const words = reading
    .text('roles')
    .split(',')
    .map((word) => word.trim());
  const roles = new Set<Role>();
  for (const word of words) {
    const role = ROLES.find((known) => known === word);
    if (role === undefined) reading.unknownWord('roles', word, ROLES);
    else roles.add(role);
  }
  return [...roles];
}

function reportUnknown(env: Variables, reading: Reading): void {
  const names = Object.values(ENVIRONMENT_VARIABLES).map((variable) => variable.name);
  for (const name of Object.keys(env).sort()) {
    if (!name.startsWith(PREFIX) || isKnownVariable(name) || isNotForUs(name, env[name] ?? '')) continue;
    // JOBWARDEN_PORT is JOBWARDEN_HTTP_PORT, though by its letters JOBWARDEN_ROLES is nearer.
    const guess = names.find((known) => known.endsWith(name.slice(PREFIX.length - 1))) ?? didYouMean(name, names);
    const mend = guess === null ? `unset it; known are ${names.join(', ')}` : `did you mean ${guess}?`;
    reading.fault({ name }, 'unknown-variable', 'is not a variable of Jobwarden', mend);
  }
}

/** Enough of a value to recognise it, without control characters. Never of a secret. */
function shown(value: string): string {
  const printable = value.replace(/[^\x20-\x7e]/g, '?');
  return printable.length > 60 ? `${printable.slice(0, 60)}…` : printable;
}
