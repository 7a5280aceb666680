import type { Secret } from './secret.js';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const ROLES = ['api', 'work'] as const;
export type Role = (typeof ROLES)[number];

/** The process environment, parsed once. Frozen; nothing else reads `process.env`. */
export interface Environment {
  readonly production: boolean;
  readonly http: { readonly host: string; readonly port: number };
  readonly database:
    { readonly mode: 'embedded'; readonly dataDir: string } | { readonly mode: 'external'; readonly url: Secret };
  /** Embedded data, and whatever else the service keeps on disk. */
  readonly dataDir: string;
  /** null = no policy file: built-in defaults, observe only. */
  readonly configFile: string | null;
  readonly roles: readonly Role[];
  /** `off`: this replica lets nothing out. */
  readonly actions: 'on' | 'off';
  readonly logLevel: LogLevel;
  /** Of a database that is yet to be created; later it must agree with the stored number. */
  readonly shards: number;
}
