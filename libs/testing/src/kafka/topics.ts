import { randomBytes } from 'node:crypto';
import { afterAll, inject } from 'vitest';
import { kafkaClient } from './client.js';

/** The addresses of the shared broker, separated by commas. Only in specs of the project `kafka`. */
export const sharedBrokers = (): string => inject('kafka').brokers;

/**
 * For a spec file on the shared broker: a prefix for its topics and groups, which no other file has. After its tests the
 * topics are deleted. Close consumers in an `afterAll` registered after this call: vitest runs the later ones first.
 */
export function useTopicPrefix(): string {
  const prefix = `test-${randomBytes(5).toString('hex')}-`;
  afterAll(() => deleteTopics(prefix));
  return prefix;
}

async function deleteTopics(prefix: string): Promise<void> {
  const admin = kafkaClient(sharedBrokers()).admin();
  await admin.connect();
  try {
    const topics = (await admin.listTopics()).filter((name) => name.startsWith(prefix));
    if (topics.length > 0) await admin.deleteTopics({ topics });
  } finally {
    await admin.disconnect();
  }
}
