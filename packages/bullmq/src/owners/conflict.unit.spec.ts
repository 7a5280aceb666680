import type { RecoveryPolicy } from '@jobwarden/client';
import { describe, expect, it } from 'vitest';
import { conflictOf } from './conflict.js';

const policy = (owner: RecoveryPolicy['owner'], requeue: string): RecoveryPolicy => ({ owner, claims: 'off', levels: { retry: 'observe', requeue } });
const worker = { maxStalledCount: 1, skipStalledCheck: false, stalledInterval: 30_000 };
const off = { worker: { ...worker, skipStalledCheck: true } };

describe('who recovers a queue', () => {
  it.each([
    ['BullMQ, and Jobwarden only observes', 'queue', { worker }, policy('jobwarden', 'observe')],
    ['BullMQ, and the policy says so', 'queue', { worker }, policy('queue', 'act')],
    ['BullMQ, and Jobwarden does not answer', 'queue', { worker }, null],
    ['Jobwarden, BullMQ’s own is off', 'jobwarden', off, policy('jobwarden', 'act')],
  ] as const)('is one: %s', (_, owner, native, said) => {
    expect(conflictOf('mail', owner, native, said)).toBeNull();
  });

  it.each([
    ['approve is acting, too', 'queue', { worker }, policy('jobwarden', 'approve'), /BullMQ \(maxStalledCount: 1.*Jobwarden \(owner: jobwarden, requeue: approve/u],
    ['the stall check is on', 'jobwarden', { worker }, policy('jobwarden', 'act'), /set skipStalledCheck: true/u],
    ['jobs have attempts by default', 'jobwarden', { defaultAttempts: 3 }, null, /defaultJobOptions\.attempts is 3/u],
    ['nobody would', 'jobwarden', off, policy('queue', 'act'), /Say the same in both/u],
  ] as const)('is refused: %s', (_, owner, native, said, message) => {
    expect(conflictOf('mail', owner, native, said)).toMatch(message);
  });
});
