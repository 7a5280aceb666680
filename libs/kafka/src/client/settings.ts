/** How to reach the brokers; read from the environment by whoever starts the process. */
export interface KafkaSettings {
  /** `host:port`, at least one. */
  readonly brokers: readonly string[];
  /** Of every topic's name and of the consumer group's. Default `jobwarden.`. */
  readonly topicPrefix: string;
  /** null: plain text. */
  readonly ssl: KafkaTls | null;
  /** null: nobody asks who we are. */
  readonly sasl: KafkaSasl | null;
}

export interface KafkaTls {
  /** PEM of the authority that signed the brokers' certificates; null: the system's. */
  readonly ca: string | null;
  /** PEM of our own certificate and its key, where the brokers ask for one. */
  readonly certificate: string | null;
  readonly key: string | null;
}

export interface KafkaSasl {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  readonly password: string;
}
