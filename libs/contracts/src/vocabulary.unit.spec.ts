import { describe, expect, it } from 'vitest';
import { DECISION_KINDS } from '#libs/domain';
import { FACT_KINDS, isReservedType, jobEventType, QUEUE_STATE_TYPE, WORKER_HEARTBEAT_TYPE } from './vocabulary.js';

describe('the words of the contract', () => {
  it('reserve every decision’s type but that of a request to cancel', () => {
    for (const kind of DECISION_KINDS) expect(isReservedType(jobEventType(kind))).toBe(kind !== 'cancelled');
  });

  it.each(['jobwarden.queue.paused.v1', 'jobwarden.queue.resumed.v2', 'jobwarden.incident.opened.v1', 'jobwarden.command.enqueue.v1', 'jobwarden.invalidation.v1'])(
    'reserve %s',
    (type) => {
      expect(isReservedType(type)).toBe(true);
    },
  );

  it('reserve nothing that may come in', () => {
    for (const type of [...FACT_KINDS.map(jobEventType), WORKER_HEARTBEAT_TYPE, QUEUE_STATE_TYPE, 'jobwarden.queue.pausedish.v1', 'com.example.command.x']) {
      expect(isReservedType(type)).toBe(false);
    }
  });
});
