// Of kafkajs, a CommonJS package, Node offers by name only what it can read off the source: Kafka, logLevel, Partitioners,
// PartitionAssigners, AssignerProtocol, CompressionTypes. Importing another value by its name ends the process at its
// start. The tests would not show it, since vitest imports in a way of its own; the linter does.
import kafkajs from 'kafkajs';

export const { CompressionCodecs, ConfigResourceTypes, KafkaJSProtocolError } = kafkajs;
