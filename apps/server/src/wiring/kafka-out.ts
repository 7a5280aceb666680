import type { KafkaEnvironment } from '#libs/config';
import { KafkaSink, type ClientLog, type KafkaSettings } from '#libs/kafka';
import type { Logger } from 'pino';
import { TopicsAtStart } from '../kafka/topics-at-start.js';

export interface KafkaOutParts {
  readonly settings: KafkaSettings;
  readonly clientId: string;
  readonly clientLog: ClientLog;
  /** Of topics that are missing. */
  readonly environment: Pick<KafkaEnvironment, 'partitions' | 'replication'>;
  readonly log: Logger;
}

/** The ways out over Kafka, of one replica. */
export class KafkaOut {
  readonly sink: KafkaSink;
  private readonly topics: TopicsAtStart;
  private stopped = false;

  constructor(parts: KafkaOutParts) {
    const { settings, clientId, clientLog, environment, log } = parts;
    this.topics = new TopicsAtStart({ settings, clientId, clientLog, options: environment, log });
    this.sink = new KafkaSink({
      settings,
      clientId,
      log: clientLog,
      observer: {
        refused: (topic, records) => log.warn({ topic, records }, 'the broker refused records as too large'),
      },
    });
  }

  /** See {@link TopicsAtStart.looked}: it never resolves before {@link start} or {@link stop}. */
  get topicsLooked(): Promise<void> {
    return this.topics.looked;
  }

  /** In the background: no broker is waited for. */
  start(): void {
    this.topics.start();
    void this.topics.looked.then(() => (this.stopped ? undefined : this.sink.start()));
  }

  /** Resolves when what was being sent is acknowledged, or left to whoever comes next. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.topics.stop();
    await this.sink.stop();
  }
}
