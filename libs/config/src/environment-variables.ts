import { LOG_LEVELS, ROLES } from './environment-types.js';
import { KAFKA_VARIABLES } from './kafka-variables.js';

/** A variable as the reference page shows it. The one list: what is not here is unknown. */
export interface EnvironmentVariable {
  readonly name: string;
  readonly type: string;
  /** As it would be written; null = no default. */
  readonly fallback: string | null;
  readonly rule: string;
  readonly meaning: string;
}

export const PREFIX = 'JOBWARDEN_';

export const ENVIRONMENT_VARIABLES = {
  httpPort: {
    name: 'JOBWARDEN_HTTP_PORT',
    type: 'number',
    fallback: '7411',
    rule: '0 to 65535; 0 takes a free port',
    meaning: 'Port of the REST API, the metrics and the dashboard.',
  },
  httpHost: {
    name: 'JOBWARDEN_HTTP_HOST',
    type: 'address',
    fallback: '127.0.0.1',
    rule: 'an address or host name without a port; anything but loopback needs `tokens` in the policy file',
    meaning: 'Address to listen on. `0.0.0.0` is every IPv4 address, `::` every address.',
  },
  databaseUrl: {
    name: 'JOBWARDEN_DATABASE_URL',
    type: 'URL, secret',
    fallback: null,
    rule: '`postgres://user:password@host:port/database`; required when `NODE_ENV=production`',
    meaning: 'PostgreSQL 15 or later. Absent: the embedded PostgreSQL, with its data under `JOBWARDEN_DATA_DIR`.',
  },
  databasePooling: {
    name: 'JOBWARDEN_DATABASE_POOLING',
    type: 'word',
    fallback: 'session',
    rule: '`session` or `transaction`',
    meaning: '`transaction`: behind a pooler that keeps a connection together for one transaction only, such as PgBouncer with `pool_mode = transaction`.',
  },
  migrate: {
    name: 'JOBWARDEN_MIGRATE',
    type: 'word',
    fallback: 'on',
    rule: '`on` or `off`',
    meaning: '`off`: a start changes nothing in the schema, and ends where it is older than the release: only `jobwarden migrate` migrates. The user of the URL then needs no right but to be `jobwarden_app`.',
  },
  dataDir: {
    name: 'JOBWARDEN_DATA_DIR',
    type: 'path',
    fallback: '.jobwarden/',
    rule: 'a folder that the service may write',
    meaning: 'Data of the embedded PostgreSQL.',
  },
  configFile: {
    name: 'JOBWARDEN_CONFIG',
    type: 'path',
    fallback: null,
    rule: 'a YAML file as below',
    meaning:
      'The policy file. Absent: with the embedded database `policy.yaml` in `JOBWARDEN_DATA_DIR`, written at the first start; else the built-in defaults, which only observe.',
  },
  roles: {
    name: 'JOBWARDEN_ROLES',
    type: 'list',
    fallback: ROLES.join(','),
    rule: `one or more of ${ROLES.map((role) => `\`${role}\``).join(', ')}, with commas between`,
    meaning: '`api` answers HTTP; `work` reconciles and publishes.',
  },
  actions: {
    name: 'JOBWARDEN_ACTIONS',
    type: 'word',
    fallback: 'on',
    rule: '`on` or `off`',
    meaning: '`off`: this replica lets nothing out. To stop all replicas use `PUT /v1/actions`.',
  },
  dashboard: {
    name: 'JOBWARDEN_DASHBOARD',
    type: 'word',
    fallback: 'on',
    rule: '`on` or `off`',
    meaning: '`off`: the web pages are not served; the API is as it was.',
  },
  logLevel: {
    name: 'JOBWARDEN_LOG_LEVEL',
    type: 'word',
    fallback: 'info',
    rule: LOG_LEVELS.map((level) => `\`${level}\``).join(', '),
    meaning: 'The least severe line that is written.',
  },
  shards: {
    name: 'JOBWARDEN_SHARDS',
    type: 'number',
    fallback: '16',
    rule: '1 to 256; fixed when the database is created',
    meaning: 'Shards of the log: the unit of checkpoint, publishing and sweep.',
  },
  kubeconfig: {
    name: 'JOBWARDEN_KUBECONFIG',
    type: 'path',
    fallback: null,
    rule: 'a kubeconfig; its current context is the cluster',
    meaning: 'Cluster of the targets `NAMESPACE/NAME`. Absent: in a pod the cluster that it runs in, by its service account; elsewhere none.',
  },
  simulated: {
    name: 'JOBWARDEN_SIMULATED',
    type: 'path',
    fallback: null,
    rule: 'a JSON file that the service may write; for one replica',
    meaning: 'Pools of the targets `simulated:NAME`, for trials and tests.',
  },
  ...KAFKA_VARIABLES,
} as const satisfies Record<string, EnvironmentVariable>;

/** Of the test suite, whose processes hand their environment on to the services that they start. */
const TESTS = 'JOBWARDEN_TEST_';

/** Of the command line, which people set in the shell that they also start a service from. */
const COMMAND_LINE: ReadonlySet<string> = new Set(['JOBWARDEN_TOKEN', 'JOBWARDEN_URL']);

export type VariableKey = keyof typeof ENVIRONMENT_VARIABLES;

/** Read as well, under the names that others gave them. */
export const FOREIGN_VARIABLES: readonly EnvironmentVariable[] = [
  {
    name: 'NODE_ENV',
    type: 'word',
    fallback: null,
    rule: '`production` refuses the embedded database',
    meaning: 'Set it in every deployment that keeps its data.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    type: 'URL',
    fallback: null,
    rule: 'or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`; the other `OTEL_*` variables as OpenTelemetry defines them',
    meaning: 'Where traces go. Absent: no tracing, and none of its code is loaded.',
  },
];

/** What Kubernetes sets in every pod for a Service whose name begins with `jobwarden`: not meant for us. */
const SERVICE_LINKS = [
  /^JOBWARDEN_(?:\w+_)?SERVICE_(?:HOST|PORT(?:_\w+)?)$/,
  /^JOBWARDEN_(?:\w+_)?PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/,
];
/** `JOBWARDEN_PORT` with an address is such a link; with a number it is a person who means JOBWARDEN_HTTP_PORT. */
const PORT_LINK = /^JOBWARDEN_(?:\w+_)?PORT$/;
const LINKED = /^(?:tcp|udp|sctp):/;

const known: ReadonlySet<string> = new Set(Object.values(ENVIRONMENT_VARIABLES).map((variable) => variable.name));

export function isKnownVariable(name: string): boolean {
  return known.has(name);
}

/** Set in the environment of a service, but by and for somebody else. */
export function isNotForUs(name: string, value: string): boolean {
  if (known.has(name)) return false;
  if (PORT_LINK.test(name) && LINKED.test(value)) return true;
  return name.startsWith(TESTS) || COMMAND_LINE.has(name) || SERVICE_LINKS.some((link) => link.test(name));
}
