import type { KafkaEnvironment } from '#libs/config';
import type { ClientLog, KafkaSettings } from '#libs/kafka';
import type { Logger } from 'pino';

/** The one place where the secrets are given away, to the client that needs them. */
export function kafkaSettings({ brokers, topicPrefix, ssl, sasl }: KafkaEnvironment): KafkaSettings {
  return {
    brokers,
    topicPrefix,
    ssl: ssl === null ? null : { ca: ssl.ca, certificate: ssl.certificate, key: ssl.key?.reveal() ?? null },
    sasl: sasl === null ? null : { ...sasl, password: sasl.password.reveal() },
  };
}

export function clientLog(log: Logger): ClientLog {
  return (level, message, fields) => {
    log[level]({ kafka: fields }, `Kafka: ${message}`);
  };
}

/** The library's own words: it repeats by itself and calls each try an error. What comes of it is said elsewhere, once. */
export function libraryLog(log: ClientLog): ClientLog {
  return (_level, message, fields) => log('debug', message, fields);
}
