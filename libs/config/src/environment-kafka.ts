import { SASL_MECHANISMS, type KafkaEnvironment } from './environment-types.js';
import { shown, type Reading } from './environment-reading.js';
import { ENVIRONMENT_VARIABLES, type VariableKey } from './environment-variables.js';
import { parseDuration } from './quantities.js';
import { Secret } from './secret.js';

const BROKER = /^(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9_.-]{0,252})):(\d{1,5})$/i;
const PEM_BEGINS = '-----BEGIN ';

type ReadFile = (path: string) => string;

/** Without brokers the other variables mean nothing, and a chart may set them all the same: they are not looked at. */
export function readKafka(reading: Reading, readFile: ReadFile): KafkaEnvironment | null {
  if (reading.given('kafkaBrokers') === null) return null;
  return Object.freeze({
    brokers: Object.freeze(readBrokers(reading)),
    topicPrefix: readPrefix(reading),
    ssl: readSsl(reading, readFile),
    sasl: readSasl(reading),
    sessionTimeoutMs: readSessionTimeout(reading),
    partitions: reading.integer('kafkaPartitions', 1, 1_000),
    replication: reading.given('kafkaReplication') === null ? null : reading.integer('kafkaReplication', 1, 100),
  });
}

function readBrokers(reading: Reading): string[] {
  const words = (reading.given('kafkaBrokers') ?? '').split(',').map((word) => word.trim());
  const brokers = words.filter((word) => word !== '');
  const wrong = brokers.find((word) => !isBroker(word));
  if (brokers.length === 0 || wrong !== undefined) {
    const is = wrong === undefined ? 'names none' : `has "${shown(wrong)}"`;
    reading.fault(
      'kafkaBrokers',
      'not-a-broker',
      `must be host:port for each broker, ${is}`,
      'write them as kafka-1:9092,kafka-2:9092, without a scheme',
    );
  }
  return brokers;
}

function isBroker(word: string): boolean {
  const port = Number(BROKER.exec(word)?.[1] ?? 0);
  return port >= 1 && port <= 65_535;
}

function readPrefix(reading: Reading): string {
  const prefix = reading.text('topicPrefix');
  if (/^[\w.-]{1,200}$/.test(prefix)) return prefix;
  const rule = `may have letters, digits, ".", "_" and "-", at most 200, is "${shown(prefix)}"`;
  reading.fault('topicPrefix', 'not-a-topic-name', rule, 'write a prefix such as jobwarden.');
  return ENVIRONMENT_VARIABLES.topicPrefix.fallback;
}

function readSessionTimeout(reading: Reading): number {
  const text = reading.text('kafkaSessionTimeout');
  const ms = parseDuration(text);
  if (ms !== null && ms >= 500 && ms <= 1_800_000) return ms;
  reading.fault(
    'kafkaSessionTimeout',
    'not-a-duration',
    `must be a duration from 500ms to 30m, is "${shown(text)}"`,
    'write it as 30s',
  );
  return 30_000;
}

function readSsl(reading: Reading, readFile: ReadFile): KafkaEnvironment['ssl'] {
  const on = reading.word<'off' | 'on'>('kafkaSsl', ['off', 'on']) === 'on';
  const parts = ['kafkaSslCa', 'kafkaSslCert', 'kafkaSslKey'] as const;
  if (!on) {
    // Whoever names a certificate believes that the connection is encrypted.
    for (const key of parts.filter((part) => reading.given(part) !== null)) {
      reading.fault(key, 'ssl-is-off', 'is set, and JOBWARDEN_KAFKA_SSL is not on', 'set JOBWARDEN_KAFKA_SSL=on');
    }
    return null;
  }
  together(reading, ['kafkaSslCert', 'kafkaSslKey']);
  const [ca, certificate, key] = parts.map((part) => readPem(reading, part, readFile));
  return Object.freeze({
    ca: ca ?? null,
    certificate: certificate ?? null,
    key: key == null ? null : new Secret(key),
  });
}

/** Neither rule nor mend quotes a value: a key pasted where a path belongs is a secret. */
function readPem(reading: Reading, key: VariableKey, readFile: ReadFile): string | null {
  const given = reading.given(key);
  if (given === null) return null;
  // One line, as an environment file has it.
  const pem = given.startsWith(PEM_BEGINS) ? given.replaceAll('\\n', '\n') : read(given, readFile);
  if (pem?.includes(PEM_BEGINS) === true) return pem;
  const rule = pem === null ? 'names a file that cannot be read' : 'names a file that is not PEM';
  reading.fault(key, 'not-a-pem', rule, 'give the path of a PEM file, or its text beginning with -----BEGIN');
  return null;
}

function read(path: string, readFile: ReadFile): string | null {
  try {
    return readFile(path);
  } catch {
    return null;
  }
}

function readSasl(reading: Reading): KafkaEnvironment['sasl'] {
  const parts = ['kafkaSaslMechanism', 'kafkaSaslUsername', 'kafkaSaslPassword'] as const;
  const [given, username, password] = parts.map((part) => reading.given(part));
  together(reading, parts);
  if (given == null || username == null || password == null) return null;
  const mechanism = SASL_MECHANISMS.find((word) => word === given.toLowerCase());
  if (mechanism === undefined) {
    reading.unknownWord('kafkaSaslMechanism', given, SASL_MECHANISMS);
    return null;
  }
  return Object.freeze({ mechanism, username, password: new Secret(password) });
}

function together(reading: Reading, keys: readonly VariableKey[]): void {
  const missing = keys.filter((key) => reading.given(key) === null);
  if (missing.length === keys.length) return;
  const names = (list: readonly VariableKey[]) => list.map((key) => ENVIRONMENT_VARIABLES[key].name).join(', ');
  for (const key of missing) {
    const others = keys.filter((other) => !missing.includes(other));
    reading.fault(key, 'missing-beside', `is missing beside ${names(others)}`, `set it, or unset ${names(others)}`);
  }
}
