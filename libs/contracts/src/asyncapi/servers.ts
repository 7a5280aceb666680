/** The same cluster by the ways in which it may be reached: which of them, and by which scheme, is the cluster's to say. */
const server = (title: string, protocol: string, schemes: readonly string[]) => ({
  host: '{broker}',
  protocol,
  title,
  variables: { broker: { default: 'localhost:9092', description: 'One of JOBWARDEN_KAFKA_BROKERS.' } },
  ...(schemes.length > 0 && { security: schemes.map((name) => ({ $ref: `#/components/securitySchemes/${name}` })) }),
});

const SASL = ['sasl-plain', 'sasl-scram-sha-256', 'sasl-scram-sha-512'];

export const SERVERS = {
  plain: server('Nobody asks who we are', 'kafka', []),
  sasl: server('SASL', 'kafka', SASL),
  ssl: server('TLS, with a certificate of ours where the brokers ask for one', 'kafka-secure', ['client-certificate']),
  'sasl-ssl': server('SASL through TLS', 'kafka-secure', SASL),
};

export const SECURITY_SCHEMES = {
  'sasl-plain': { type: 'plain', description: 'SASL PLAIN: only through TLS is the password safe.' },
  'sasl-scram-sha-256': { type: 'scramSha256', description: 'SASL SCRAM-SHA-256.' },
  'sasl-scram-sha-512': { type: 'scramSha512', description: 'SASL SCRAM-SHA-512.' },
  'client-certificate': { type: 'X509', description: 'JOBWARDEN_KAFKA_SSL_CERT and …_KEY.' },
};
