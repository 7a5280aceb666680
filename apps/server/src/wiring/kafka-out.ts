import { KafkaSink, type ClientLog, type KafkaSettings } from '#libs/kafka';
import type { Metrics } from '#libs/observability';
import type { Logger } from 'pino';

export interface KafkaOutParts {
  readonly settings: KafkaSettings;
  readonly clientId: string;
  readonly clientLog: ClientLog;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** The ways out over Kafka, of one replica. */
export class KafkaOut {
  readonly sink: KafkaSink;

  constructor({ settings, clientId, clientLog, log }: KafkaOutParts) {
    this.sink = new KafkaSink({
      settings,
      clientId,
      log: clientLog,
      observer: {
        refused: (topic, records) => log.warn({ topic, records }, 'the broker refused records as too large'),
      },
    });
  }

  /** In the background: no broker is waited for. */
  start(): void {
    this.sink.start();
  }

  /** Resolves when what was being sent is acknowledged, or left to whoever comes next. */
  async stop(): Promise<void> {
    await this.sink.stop();
  }
}
