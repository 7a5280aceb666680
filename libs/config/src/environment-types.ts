import type { Secret } from './secret.js';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** How long the database's connection is the same one: for a session, or for a transaction only. */
export const POOLINGS = ['session', 'transaction'] as const;
export type Pooling = (typeof POOLINGS)[number];

export const ROLES = ['api', 'work'] as const;
export type Role = (typeof ROLES)[number];

/** The process environment, parsed once. Frozen; nothing else reads `process.env`. */
export interface Environment {
  readonly production: boolean;
  readonly http: { readonly host: string; readonly port: number };
  readonly database:
    { readonly mode: 'embedded'; readonly dataDir: string } | { readonly mode: 'external'; readonly url: Secret; readonly pooling: Pooling };
  /** Embedded data, and whatever else the service keeps on disk. */
  readonly dataDir: string;
  /** null = no policy file: built-in defaults, observe only. */
  readonly configFile: string | null;
  readonly roles: readonly Role[];
  /** `off`: the schema is only looked at; who starts on an older one is refused. */
  readonly migrate: 'on' | 'off';
  /** `off`: this replica lets nothing out. */
  readonly actions: 'on' | 'off';
  /** Whether the web pages are served; of the role `api`. */
  readonly dashboard: 'on' | 'off';
  readonly logLevel: LogLevel;
  /** Of a database that is yet to be created; later it must agree with the stored number. */
  readonly shards: number;
  /** Paths; null = not set. */
  readonly orchestrators: { readonly kubeconfig: string | null; readonly simulated: string | null };
  /** null = no brokers: events come by HTTP alone. */
  readonly kafka: KafkaEnvironment | null;
}

export const SASL_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
export type SaslMechanism = (typeof SASL_MECHANISMS)[number];

export interface KafkaEnvironment {
  /** `host:port`, at least one. */
  readonly brokers: readonly string[];
  readonly topicPrefix: string;
  /** null = plain text. PEM each; null = the system's authorities, no certificate of our own. */
  readonly ssl: { readonly ca: string | null; readonly certificate: string | null; readonly key: Secret | null } | null;
  readonly sasl: { readonly mechanism: SaslMechanism; readonly username: string; readonly password: Secret } | null;
  readonly sessionTimeoutMs: number;
  /** Of topics that are made because they are missing. */
  readonly partitions: number;
  /** null = the cluster's default. */
  readonly replication: number | null;
}
