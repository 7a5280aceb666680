import { destination, pino, stdTimeFunctions, type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import { readableLine } from './readable-line.js';
import { REDACTED, scrub } from './scrub.js';

export interface LogOptions {
  /** A level of pino, or `silent`. */
  readonly level: string;
  /** Lines for people rather than JSON: on a terminal. */
  readonly readable: boolean;
  /** Standard output unless given. */
  readonly out?: DestinationStream;
}

const SECRET_KEYS = ['authorization', 'cookie', 'password', 'secret', 'token', 'apiKey', 'databaseUrl'];

/**
 * The service's logger: one JSON object per line with `level`, `time` (ISO 8601), `pid`, `hostname`, `msg`,
 * and `err` for errors. Written synchronously: what was logged before a crash is there.
 */
export function createLogger(options: LogOptions): Logger {
  const out = options.out ?? destination(1);
  const readable: DestinationStream = { write: (line) => out.write(readableLine(line)) };
  return pino(loggerOptions(options.level), options.readable ? readable : out);
}

/** For whoever builds its own pino, such as a worker of a test. */
export function loggerOptions(level: string): LoggerOptions {
  return {
    level,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: [...SECRET_KEYS.flatMap((key) => [key, `*.${key}`]), 'req.headers.authorization', 'req.headers.cookie'],
      // A fencing token is a number and no secret: support needs it.
      censor: (value: unknown) => (typeof value === 'number' ? value : REDACTED),
    },
    hooks: { streamWrite: scrub },
  };
}
