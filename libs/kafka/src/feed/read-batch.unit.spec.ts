import { describe, expect, it } from 'vitest';
import type { Batch, KafkaMessage } from 'kafkajs';
import { readBatch, TICK_HEADER } from './read-batch.js';

function record(value: Buffer | null, headers: KafkaMessage['headers'] = { [TICK_HEADER]: '1' }) {
  const message = { offset: '7', timestamp: '1000', key: null, value, headers, attributes: 0 } as KafkaMessage;
  const batch = { topic: 't', partition: 0, messages: [message], lastOffset: () => '7' } as unknown as Batch;
  return readBatch(batch).records[0];
}

describe('reading a batch of Kafka', () => {
  it('takes for a tick what has the header and nothing else', () => {
    expect(record(Buffer.alloc(0))).toMatchObject({ tick: true });
    expect(record(null)).toMatchObject({ tick: true });
    expect(record(null, {})).toMatchObject({ tick: false });
  });

  it('passes over no value, whatever header stands beside it', () => {
    expect(record(Buffer.from('{}'))).toMatchObject({ tick: false, value: Buffer.from('{}') });
  });
});
