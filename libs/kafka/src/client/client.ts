import { Kafka, logLevel, type KafkaConfig, type LogEntry, type SASLOptions } from 'kafkajs';
import { readAllCompressions } from './compression.js';
import { mendRequestQueue } from './request-queue.js';
import { socketFactory } from './socket-factory.js';
import type { KafkaSettings } from './settings.js';

/** Where the library's own words go, instead of the console. */
export type ClientLog = (level: 'error' | 'warn' | 'info' | 'debug', message: string, fields: Readonly<Record<string, unknown>>) => void;

/**
 * A client of the library, mended and quiet. Its own retries are short: whoever uses it repeats by itself, knows how
 * long it has been waiting, and says so.
 */
export function createClient(settings: KafkaSettings, clientId: string, log: ClientLog = () => undefined): Kafka {
  mendRequestQueue();
  readAllCompressions();
  const { brokers, ssl, sasl } = settings;
  const config: KafkaConfig = {
    clientId,
    brokers: [...brokers],
    connectionTimeout: 5_000,
    requestTimeout: 30_000,
    socketFactory,
    retry: { initialRetryTime: 100, maxRetryTime: 2_000, retries: 5 },
    logLevel: logLevel.WARN,
    logCreator: () => (entry) => log(LEVELS[entry.level] ?? 'debug', entry.log.message, fieldsOf(entry)),
    ...(ssl !== null && {
      ssl: {
        ...(ssl.ca !== null && { ca: [ssl.ca] }),
        ...(ssl.certificate !== null && { cert: ssl.certificate }),
        ...(ssl.key !== null && { key: ssl.key }),
      },
    }),
    ...(sasl !== null && { sasl: sasl as SASLOptions }),
  };
  return new Kafka(config);
}

const LEVELS: Readonly<Record<number, 'error' | 'warn' | 'info' | 'debug'>> = {
  [logLevel.ERROR]: 'error',
  [logLevel.WARN]: 'warn',
  [logLevel.INFO]: 'info',
  [logLevel.DEBUG]: 'debug',
};

function fieldsOf({ namespace, log }: LogEntry): Record<string, unknown> {
  const fields = Object.entries(log).filter(([name]) => name !== 'message' && name !== 'timestamp');
  return { part: namespace, ...Object.fromEntries(fields) };
}
