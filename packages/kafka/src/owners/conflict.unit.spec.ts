import type { RecoveryPolicy } from '@jobwarden/client';
import { describe, expect, it } from 'vitest';
import { commitConflict, conflictOf } from './conflict.js';

const policy = (owner: RecoveryPolicy['owner'], requeue: string): RecoveryPolicy => ({ owner, claims: 'required', levels: { retry: 'observe', requeue } });

describe('who recovers the jobs of a topic', () => {
  it.each([
    ['Kafka, and Jobwarden only observes', 'queue', policy('jobwarden', 'observe')],
    ['Kafka, and the policy says so', 'queue', policy('queue', 'act')],
    ['Kafka, and Jobwarden does not answer', 'queue', null],
    ['Jobwarden', 'jobwarden', policy('jobwarden', 'act')],
  ] as const)('is one: %s', (_, owner, said) => {
    expect(conflictOf('mails', owner, said)).toBeNull();
  });

  it.each([
    ['approve is acting, too', 'queue', policy('jobwarden', 'approve'), /Kafka \(what the group.*Jobwarden \(owner: jobwarden, requeue: approve/u],
    ['nobody would', 'jobwarden', policy('queue', 'act'), /Say the same in both/u],
  ] as const)('is refused: %s', (_, owner, said, message) => {
    expect(conflictOf('mails', owner, said)).toMatch(message);
  });

  it('is Kafka as well as Jobwarden where nothing is committed', () => {
    expect(commitConflict('jobwarden', false)).toMatch(/Two would put back the same jobs: Jobwarden .* and Kafka/u);
    expect(commitConflict('queue', false)).toMatch(/leaves it to the program/u);
    expect([commitConflict('queue', undefined), commitConflict('jobwarden', true)]).toEqual([null, null]);
  });
});
