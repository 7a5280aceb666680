import { expect, test } from 'vitest';
import { WorkQueue } from './work-queue.js';

const ticket = (id: string, attempt = 1) => ({ id, kind: 'email', attempt });

test('tickets come out in the order in which they went in', () => {
  const queue = new WorkQueue();
  queue.add(ticket('a'));
  queue.add(ticket('b'));
  expect([queue.take()?.id, queue.take()?.id, queue.take()]).toEqual(['a', 'b', undefined]);
});

test('a command that comes twice puts its attempt into the queue once, also when it was taken in between', () => {
  const queue = new WorkQueue();
  expect(queue.add(ticket('a', 2))).toBe(true);
  queue.take();
  expect(queue.add(ticket('a', 2))).toBe(false);
  expect(queue.length).toBe(0);
});

test('the next attempt of a job is another ticket', () => {
  const queue = new WorkQueue();
  queue.add(ticket('a', 1));
  expect(queue.add(ticket('a', 2))).toBe(true);
});
