// The commands of docs/kafka.md, run as they stand there, but for the broker and the prefix.
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseContext, readKafkaRecord } from '#libs/contracts';
import { kafkaClient, sharedBrokers, useTopicPrefix, waitUntil } from '#libs/testing';
import { KafkaSink } from './kafka-sink.js';
import { lease, makeTopics, message, settingsOf } from './sink.fixture.js';

const run = promisify(execFile);
const page = readFileSync(join(import.meta.dirname, '../../../../docs/kafka.md'), 'utf8');
const isMissing = spawnSync('kcat', ['-V'], { stdio: 'ignore' }).status !== 0;
const mayBeLeftOut = isMissing && process.env['CI'] !== 'true';

const prefix = useTopicPrefix();
const settings = settingsOf(sharedBrokers(), prefix);
const following: ChildProcess[] = [];

beforeAll(() => makeTopics(settings, 1));
afterAll(() => {
  for (const child of following) child.kill('SIGKILL');
});

/** The one command of the page that has these words. */
function command(words: string): string {
  const found = [...page.matchAll(/```sh\n([^`]*)```/g)].map((m) => m[1]!).filter((text) => text.includes(words));
  expect(found).toHaveLength(1);
  return found[0]!.replaceAll('localhost:9092', sharedBrokers()).replaceAll('-t jobwarden.', `-t ${prefix}`).trim();
}

/** Lines that come while it follows a topic. */
function follow(topic: string): string[] {
  const lines: string[] = [];
  const child = spawn('sh', ['-c', `exec ${command(`-C -u -q -b localhost:9092 -t jobwarden.${topic} `)}`]);
  following.push(child);
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  return lines;
}

describe.skipIf(mayBeLeftOut)('with kcat (Debian: apt-get install kcat), the commands of the page', () => {
  test('send an event that is understood', async () => {
    const produce = command('kcat -P');
    await run('sh', ['-c', produce]);
    const consumer = kafkaClient(sharedBrokers()).consumer({ groupId: `${prefix}kcat`, maxWaitTimeInMs: 50 });
    const seen: ReturnType<typeof readKafkaRecord>[] = [];
    await consumer.connect();
    await consumer.subscribe({ topics: [`${prefix}events`], fromBeginning: true });
    const context = parseContext({ hashKey: Buffer.alloc(32, 1) });
    await consumer.run({
      eachMessage: ({ message: { key, value, headers } }) => {
        const named = Object.entries(headers ?? {}).map(([name, bytes]) => [name, String(bytes)] as const);
        seen.push(readKafkaRecord({ key: String(key), value, headers: Object.fromEntries(named) }, context));
        return Promise.resolve();
      },
    });
    await waitUntil('the event comes', () => seen.length > 0);
    await consumer.disconnect();
    expect(seen[0]?.parsed).toMatchObject({ ok: true });
  });

  test('follow commands and invalidations', async () => {
    const [commands, invalidations] = [follow('commands'), follow('invalidations')];
    const sink = new KafkaSink({ settings, clientId: 'test' });
    const sent = [message(1, 'order-42', 'invalidation'), message(1, 'order-42')];
    await sink.open(lease(0));
    await sink.send(sent, lease(0));
    await waitUntil('both come', () => commands.length > 0 && invalidations.length > 0);
    expect(invalidations[0]).toBe(`default/q/order-42 ${sent[0]!.message}`);
    expect(commands[0]).toBe(`default/q/order-42 ${sent[1]!.message}`);
    await sink.stop();
  });
});
