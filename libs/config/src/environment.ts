import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { LOG_LEVELS, POOLINGS, ROLES, type Environment, type LogLevel, type Pooling, type Role } from './environment-types.js';
import { readKafka } from './environment-kafka.js';
import { Reading, shown, type Variables } from './environment-reading.js';
import { ENVIRONMENT_VARIABLES, isKnownVariable, isNotForUs, PREFIX } from './environment-variables.js';
import { failure, success, type Result } from './fault.js';
import { Secret } from './secret.js';
import { didYouMean } from './suggest.js';

/**
 * Parses the environment once, and reports every fault together. An empty variable counts as absent, as
 * compose files and charts produce it for what was left out; only an empty database address is refused,
 * because falling back would silently start on another, empty database. Of files only certificates are read.
 */
export function readEnvironment(
  env: Variables,
  readFile: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): Result<Environment> {
  const reading = new Reading(env);
  const production = env['NODE_ENV'] === 'production';
  const dataDir = reading.text('dataDir');
  const url = readDatabaseUrl(reading, production);
  const pooling = reading.word<Pooling>('databasePooling', POOLINGS);
  const environment: Environment = {
    production,
    http: Object.freeze({ host: readHost(reading), port: reading.integer('httpPort', 0, 65_535) }),
    database: Object.freeze(url === null ? { mode: 'embedded', dataDir } : { mode: 'external', url, pooling }),
    dataDir,
    configFile: reading.given('configFile'),
    roles: Object.freeze(readRoles(reading)),
    migrate: reading.word<'on' | 'off'>('migrate', ['on', 'off']),
    actions: reading.word<'on' | 'off'>('actions', ['on', 'off']),
    dashboard: reading.word<'on' | 'off'>('dashboard', ['on', 'off']),
    logLevel: reading.word<LogLevel>('logLevel', LOG_LEVELS),
    shards: reading.integer('shards', 1, 256),
    orchestrators: Object.freeze({ kubeconfig: reading.given('kubeconfig'), simulated: reading.given('simulated') }),
    kafka: readKafka(reading, readFile),
  };
  reportUnknown(env, reading);
  return reading.faults.length > 0 ? failure(reading.faults) : success(Object.freeze(environment));
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
