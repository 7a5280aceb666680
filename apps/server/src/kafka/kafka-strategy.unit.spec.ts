import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it } from 'vitest';
import { RetryableError, type FeedBatch, type FeedReceiver, type PartitionAnswers } from '#libs/application';
import { EVENT_INTAKE } from '../tokens.js';
import { EventsConsumer } from './events.consumer.js';
import { KafkaStrategy, type Feed } from './kafka-strategy.js';

const batch: FeedBatch = { name: 'kafka/t/0', topic: 't', partition: 0, records: [], next: 7 };

/** The real module of Nest's around the strategy, with a feed that the test plays. */
async function consumerOf(intake: Pick<FeedReceiver, 'batch'>, run: (receiver: FeedReceiver) => Promise<void>, ready?: Promise<void>) {
  const calls: string[] = [];
  const given: FeedReceiver[] = [];
  const feed: Feed = {
    start: () => void calls.push('start'),
    pause: () => Promise.resolve(void calls.push('pause')),
    stop: () => Promise.resolve(void calls.push('stop')),
  };
  const lanes = { known: () => Promise.resolve(), assigned: () => Promise.resolve([7]), revoked: () => undefined };
  const strategy = new KafkaStrategy(lanes, (receiver) => {
    given.push(receiver);
    return feed;
  }, ready);
  @Module({ controllers: [EventsConsumer], providers: [{ provide: EVENT_INTAKE, useValue: intake }] })
  class Consumers {}
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest's options are a class that nobody makes instances of
  const app = await NestFactory.createMicroservice(Consumers, { strategy, logger: false });
  await app.listen();
  for (const receiver of given) await run(receiver);
  calls.push('run');
  expect(given).toHaveLength(1);
  await strategy.pause();
  await app.close();
  return calls;
}

const broker: PartitionAnswers = { now: (name) => Promise.resolve({ name, low: 0, high: 0, origin: '' }), firstAfter: () => Promise.resolve(0) };

describe('Kafka as a transport', () => {
  it('hands a batch over as it is, and answers when it is stored', async () => {
    const seen: FeedBatch[] = [];
    let stored = (): void => undefined;
    const until = new Promise<void>((resolve) => (stored = resolve));
    const intake = { batch: (given: FeedBatch) => (seen.push(given), until) };
    const calls = await consumerOf(intake, async (receiver) => {
      let answered = false;
      const answer = receiver.batch(batch).then(() => (answered = true));
      expect(await receiver.assigned([], broker)).toEqual([7]);
      expect(answered).toBe(false);
      stored();
      await answer;
    });
    expect(seen).toEqual([batch]);
    expect(seen[0]).toBe(batch);
    expect(calls).toEqual(['start', 'run', 'pause', 'stop']);
  });

  it('reads nothing before it may', async () => {
    const intake = { batch: () => Promise.resolve() };
    let may = (): void => undefined;
    const ready = new Promise<void>((resolve) => (may = resolve));
    expect(await consumerOf(intake, () => Promise.resolve(), ready)).toEqual(['run', 'pause', 'stop']);
    const allowed = async (): Promise<void> => {
      may();
      await ready;
    };
    const calls = await consumerOf(intake, allowed, ready);
    expect(calls).toEqual(['start', 'run', 'pause', 'stop']);
  });

  it('does not begin when the wait is over only after its end', async () => {
    let may = (): void => undefined;
    const ready = new Promise<void>((resolve) => (may = resolve));
    const calls = await consumerOf({ batch: () => Promise.resolve() }, () => Promise.resolve(), ready);
    may();
    await ready;
    await Promise.resolve();
    expect(calls).toEqual(['run', 'pause', 'stop']);
  });

  it('keeps an error what it is: its code says whether the batch comes again', async () => {
    const lost = new RetryableError('lane_lost', 'somebody else reads it');
    for (const intake of [
      { batch: () => Promise.reject(lost) },
      {
        batch: () => {
          throw lost;
        },
      },
    ]) {
      await consumerOf(intake, async (receiver) => {
        await expect(receiver.batch(batch)).rejects.toBe(lost);
      });
    }
  });
});
