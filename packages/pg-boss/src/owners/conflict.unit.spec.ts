import type { RecoveryPolicy } from '@jobwarden/client';
import { describe, expect, it } from 'vitest';
import { conflictOf } from './conflict.js';

const policy = (owner: RecoveryPolicy['owner'], requeue: string): RecoveryPolicy => ({ owner, claims: 'off', levels: { retry: 'observe', requeue } });
/** As pg-boss sets them where nobody says anything. */
const byDefault = { retryLimit: 2, expireInSeconds: 900, deadLetter: null };
const off = { ...byDefault, retryLimit: 0 };

describe('who recovers a queue', () => {
  it.each([
    ['pg-boss, and Jobwarden only observes', 'queue', byDefault, policy('jobwarden', 'observe')],
    ['pg-boss, and the policy says so', 'queue', byDefault, policy('queue', 'act')],
    ['pg-boss, and Jobwarden does not answer', 'queue', byDefault, null],
    ['Jobwarden, pg-boss’s own is off', 'jobwarden', off, policy('jobwarden', 'act')],
  ] as const)('is one: %s', (_, owner, native, said) => {
    expect(conflictOf('mail', owner, native, said)).toBeNull();
  });

  it.each([
    ['approve is acting, too', 'queue', byDefault, policy('jobwarden', 'approve'), /pg-boss \(retryLimit: 2, expireInSeconds: 900\) and Jobwarden \(owner: jobwarden, requeue: approve/u],
    ['pg-boss’s defaults', 'jobwarden', byDefault, policy('jobwarden', 'act'), /pg-boss \(retryLimit: 2, expireInSeconds: 900\).*set the queue's retryLimit to 0/u],
    ['a job has retries of its own', 'jobwarden', { ...off, job: { id: 'j', retryLimit: 5, deadLetter: null } }, null, /send job j without a retryLimit of its own \(it has 5\)/u],
    ['nobody would', 'jobwarden', off, policy('queue', 'act'), /Say the same in both/u],
  ] as const)('is refused: %s', (_, owner, native, said, message) => {
    expect(conflictOf('mail', owner, native, said)).toMatch(message);
  });
});
