// What is used of kafkajs, so that who reads server-sent events needs none of it.

/** `new Kafka({ brokers })`. */
export interface KafkaLike {
  consumer(config: { groupId: string; maxWaitTimeInMs: number }): KafkaConsumer;
  admin(): KafkaAdmin;
}

export interface KafkaAdmin {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  fetchTopicOffsets(topic: string): Promise<{ partition: number; low: string; high: string }[]>;
}

export interface KafkaConsumer {
  readonly events: { readonly GROUP_JOIN: 'consumer.group_join'; readonly END_BATCH_PROCESS: 'consumer.end_batch_process'; readonly CRASH: 'consumer.crash' };
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  subscribe(options: { topics: string[]; fromBeginning: boolean }): Promise<void>;
  run(config: { autoCommit: boolean; eachBatch: (payload: KafkaBatchPayload) => Promise<void> }): Promise<void>;
  seek(to: { topic: string; partition: number; offset: string }): void;
  on(event: 'consumer.group_join', listener: () => void): unknown;
  on(event: 'consumer.end_batch_process', listener: (event: { payload: { partition: number; lastOffset: string } }) => void): unknown;
  on(event: 'consumer.crash', listener: (event: { payload: { error: Error; restart: boolean } }) => void): unknown;
}

export interface KafkaBatchPayload {
  readonly batch: {
    readonly partition: number;
    readonly messages: readonly { readonly offset: string; readonly value: Buffer | null }[];
    firstOffset(): string | null;
  };
  heartbeat(): Promise<void>;
}
