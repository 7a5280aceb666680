import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readEnvironment } from './environment.js';
import type { Variables } from './environment-reading.js';

const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
const KEY = '-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----';
const FILES: Readonly<Record<string, string>> = { '/pki/ca.pem': PEM, '/pki/key.pem': KEY, '/pki/note.txt': 'hunter2' };
const BROKERS = { JOBWARDEN_KAFKA_BROKERS: 'k1:9092' };

function result(env: Variables) {
  return readEnvironment(env, (path) => {
    const text = FILES[path];
    if (text === undefined) throw new Error('no such file');
    return text;
  });
}

function faultsOf(env: Variables): readonly (readonly [path: string, code: string])[] {
  const read = result({ ...BROKERS, ...env });
  return read.ok ? [] : read.faults.map(({ path, code }) => [path, code] as const);
}

function kafkaOf(env: Variables) {
  const read = result(env);
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  return read.value.kafka;
}

describe('where Kafka is', () => {
  it('is nowhere without brokers, whatever else is set', () => {
    expect(kafkaOf({})).toBeNull();
    expect(kafkaOf({ JOBWARDEN_KAFKA_BROKERS: ' ', JOBWARDEN_KAFKA_SASL_MECHANISM: 'plain' })).toBeNull();
  });

  it('has defaults for everything but the brokers: plain text, nobody asks', () => {
    expect(kafkaOf({ JOBWARDEN_KAFKA_BROKERS: 'k1:9092, [::1]:9093,k_3.example:1' })).toEqual({
      brokers: ['k1:9092', '[::1]:9093', 'k_3.example:1'],
      topicPrefix: 'jobwarden.',
      ssl: null,
      sasl: null,
      sessionTimeoutMs: 30_000,
      partitions: 6,
      replication: null,
    });
  });

  it.each(['k1', 'kafka://k1:9092', 'k1:0', 'k1:70000', 'k1:9092;k2:9092', ','])('refuses %j as brokers', (brokers) => {
    expect(faultsOf({ JOBWARDEN_KAFKA_BROKERS: brokers })).toEqual([['JOBWARDEN_KAFKA_BROKERS', 'not-a-broker']]);
  });

  it('refuses what is no name of a topic, and numbers out of range', () => {
    const env = {
      JOBWARDEN_TOPIC_PREFIX: 'a b',
      JOBWARDEN_KAFKA_PARTITIONS: '0',
      JOBWARDEN_KAFKA_REPLICATION: 'two',
      JOBWARDEN_KAFKA_SESSION_TIMEOUT: 'soon',
    };
    expect(faultsOf(env)).toEqual([
      ['JOBWARDEN_TOPIC_PREFIX', 'not-a-topic-name'],
      ['JOBWARDEN_KAFKA_SESSION_TIMEOUT', 'not-a-duration'],
      ['JOBWARDEN_KAFKA_PARTITIONS', 'not-a-number'],
      ['JOBWARDEN_KAFKA_REPLICATION', 'not-a-number'],
    ]);
  });
});

describe('how the brokers are spoken to', () => {
  it('takes certificates as files, as text, and as text in one line', () => {
    const kafka = kafkaOf({
      ...BROKERS,
      JOBWARDEN_KAFKA_SSL: 'on',
      JOBWARDEN_KAFKA_SSL_CA: '/pki/ca.pem',
      JOBWARDEN_KAFKA_SSL_CERT: PEM.replaceAll('\n', '\\n'),
      JOBWARDEN_KAFKA_SSL_KEY: KEY,
    });
    expect(kafka?.ssl).toMatchObject({ ca: PEM, certificate: PEM });
    expect(kafka?.ssl?.key?.reveal()).toBe(KEY);
  });

  it('does not stay silent about a certificate beside plain text', () => {
    expect(faultsOf({ JOBWARDEN_KAFKA_SSL_CA: '/pki/ca.pem' })).toEqual([['JOBWARDEN_KAFKA_SSL_CA', 'ssl-is-off']]);
  });

  it('refuses a file that is not there or no PEM, and a certificate without its key', () => {
    const ssl = { JOBWARDEN_KAFKA_SSL: 'on' };
    expect(faultsOf({ ...ssl, JOBWARDEN_KAFKA_SSL_CA: '/none' })).toEqual([['JOBWARDEN_KAFKA_SSL_CA', 'not-a-pem']]);
    expect(faultsOf({ ...ssl, JOBWARDEN_KAFKA_SSL_CA: '/pki/note.txt' })).toEqual([
      ['JOBWARDEN_KAFKA_SSL_CA', 'not-a-pem'],
    ]);
    expect(faultsOf({ ...ssl, JOBWARDEN_KAFKA_SSL_CERT: PEM })).toEqual([['JOBWARDEN_KAFKA_SSL_KEY', 'missing-beside']]);
  });

  it('wants mechanism, name and password together', () => {
    expect(faultsOf({ JOBWARDEN_KAFKA_SASL_USERNAME: 'alice' })).toEqual([
      ['JOBWARDEN_KAFKA_SASL_MECHANISM', 'missing-beside'],
      ['JOBWARDEN_KAFKA_SASL_PASSWORD', 'missing-beside'],
    ]);
    const sasl = { JOBWARDEN_KAFKA_SASL_USERNAME: 'alice', JOBWARDEN_KAFKA_SASL_PASSWORD: 'hunter2' };
    expect(faultsOf({ ...sasl, JOBWARDEN_KAFKA_SASL_MECHANISM: 'scram' })).toEqual([
      ['JOBWARDEN_KAFKA_SASL_MECHANISM', 'unknown-word'],
    ]);
    const kafka = kafkaOf({ ...BROKERS, ...sasl, JOBWARDEN_KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512' });
    expect(kafka?.sasl).toMatchObject({ mechanism: 'scram-sha-512', username: 'alice' });
  });

  it('shows no secret in a fault or a print', () => {
    const secrets = {
      ...BROKERS,
      JOBWARDEN_KAFKA_SSL: 'on',
      JOBWARDEN_KAFKA_SSL_CERT: PEM,
      JOBWARDEN_KAFKA_SSL_KEY: KEY,
      JOBWARDEN_KAFKA_SASL_MECHANISM: 'plain',
      JOBWARDEN_KAFKA_SASL_USERNAME: 'alice',
      JOBWARDEN_KAFKA_SASL_PASSWORD: 'hunter2',
    };
    const kafka = kafkaOf(secrets);
    expect(JSON.stringify(kafka)).not.toContain('hunter2');
    expect(inspect(kafka, { depth: 9 })).not.toContain('hunter2');
    const pasted = result({ ...secrets, JOBWARDEN_KAFKA_SSL_KEY: 'hunter2', JOBWARDEN_KAFKA_SASL_MECHANISM: 'x' });
    expect(pasted.ok).toBe(false);
    expect(JSON.stringify(pasted)).not.toContain('hunter2');
  });
});
