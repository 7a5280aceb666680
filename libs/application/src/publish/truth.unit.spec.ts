import { describe, expect, it } from 'vitest';
import { JOB_STATUSES, type JobStatus } from '#libs/domain';
import { MESSAGE_KINDS, type MessageKind } from '../ports/outbound-store.port.js';
import { isCurrent, skipReason } from './truth.js';

/** Of a message of attempt 2, by the row's status; at attempt 2, and at 3. */
const EXPECTED: Readonly<
  Record<MessageKind, { readonly same: readonly JobStatus[]; readonly later: readonly JobStatus[] }>
> = {
  invalidation: { same: JOB_STATUSES, later: JOB_STATUSES },
  enqueue: { same: ['queued', 'requeued'], later: [] },
  stop: { same: ['succeeded', 'dead-lettered', 'cancelled', 'discarded'], later: JOB_STATUSES },
  'dead-letter': { same: ['dead-lettered'], later: [] },
  incident: { same: JOB_STATUSES, later: JOB_STATUSES },
};

describe('what is still true', () => {
  for (const kind of MESSAGE_KINDS) {
    it(`of ${kind}, by status and attempt`, () => {
      const at = (attempt: number): JobStatus[] =>
        JOB_STATUSES.filter((status) => isCurrent(kind, 2, { status, attempt }));
      expect(at(2)).toEqual(JOB_STATUSES.filter((s) => EXPECTED[kind].same.includes(s)));
      expect(at(3)).toEqual(JOB_STATUSES.filter((s) => EXPECTED[kind].later.includes(s)));
    });
  }

  it('is told in words where it is not', () => {
    expect(skipReason(2, { status: 'succeeded', attempt: 2 })).toBe('the job is succeeded');
    expect(skipReason(2, { status: 'requeued', attempt: 3 })).toBe(
      'the job is requeued at attempt 3, this is of attempt 2',
    );
    expect(skipReason(2, null)).toContain('retention');
  });
});
