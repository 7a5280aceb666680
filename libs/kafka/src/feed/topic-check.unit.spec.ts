import { expect, test } from 'vitest';
import { checkedTopic, fetchSizes } from './topic-check.js';

test('a topic that carries the clocks of its senders is refused, with the command that mends it', () => {
  const settings = new Map([['message.timestamp.type', 'CreateTime']]);
  expect(() => checkedTopic('t', settings)).toThrow(/kafka-configs .* --entity-name t --add-config message\.timestamp\.type=LogAppendTime/);
  expect(() => checkedTopic('t', new Map())).toThrow(/unknown/);
});

test('its largest batch is known', () => {
  const settings = new Map([
    ['message.timestamp.type', 'LogAppendTime'],
    ['max.message.bytes', '2000000'],
  ]);
  expect(checkedTopic('t', settings)).toEqual({ maxMessageBytes: 2_000_000 });
});

test('a partition gets room for its largest batch, and all of them fit into what a broker sends at once', () => {
  const mib = 1_048_576;
  expect(fetchSizes({ maxMessageBytes: 1_048_588 }, 3, mib)).toEqual({ maxBytesPerPartition: 1_048_588, maxBytes: 6 * 1_048_588 });
  expect(fetchSizes({ maxMessageBytes: mib }, 12, 8 * mib).maxBytesPerPartition).toBe(4 * mib);
  expect(fetchSizes({ maxMessageBytes: 5 * mib }, 12, mib).maxBytesPerPartition).toBe(5 * mib);
});
