import { describe, expect, it } from 'vitest';
import { parseRunId, runId } from './run-id.js';

const record = { topic: 'mails', partition: 0, offset: '42', createdMs: 1_764_470_000_000, groupId: 'mailer' };

describe('the run of a record', () => {
  it('is another one for another group, and for a topic that was made anew', () => {
    const ids = [record, { ...record, groupId: 'audit' }, { ...record, createdMs: 1_764_470_000_001 }].map(runId);
    expect(ids[0]).toBe('mails-0-42@1764470000000:mailer');
    expect(new Set(ids).size).toBe(3);
  });

  it.each([
    ['a topic that looks like a record', { ...record, topic: 'mails-0-42' }],
    ['a group of any name', { ...record, groupId: 'a:b-1@2:c\nd' }],
    ['an offset above what a number can say', { ...record, offset: '9223372036854775807' }],
    ['no timestamp', { ...record, createdMs: -1 }],
  ])('is read back: %s', (_, run) => {
    expect(parseRunId(runId(run))).toEqual(run);
  });

  it.each(['mails-0-42', 'mails-0-42@1:', 'mails-0@1:g', 'mails-00-42@1:g', 'mails-0-042@1:g', '-0-1@1:g', '42@1764470000000'])('is not %j', (id) => {
    expect(parseRunId(id)).toBeNull();
  });
});
