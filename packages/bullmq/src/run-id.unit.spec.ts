import { describe, expect, it } from 'vitest';
import { grantedJobId, parseGrantedJobId, parseRunId, runId, runOf } from './run-id.js';

const CREATED = 1_764_470_000_000;
const NATIVE_IDS = ['42', 'mail', 'a@b.c', 'repeat:nightly:1764470000000', 'a~1~2', 'a~jobwarden~1~2', '100%', '%3A', 'ä 😀 "\n/..', '@', '7@8'];

describe('the name of a run', () => {
  it.each(NATIVE_IDS)('comes back from %j', (nativeId) => {
    expect(parseRunId(runId(nativeId, CREATED))).toEqual({ nativeId, createdMs: CREATED });
  });

  it('reads as it is written', () => {
    expect(runId('42', CREATED)).toBe('42@1764470000000');
  });

  it.each(['42', '@5', 'a@', 'a@05', 'a@1e3', 'a@99999999999999999'])('is not seen in %j', (jobId) => {
    expect(parseRunId(jobId)).toBeNull();
  });
});

describe('the custom id of a granted attempt', () => {
  const grants = NATIVE_IDS.flatMap((id) => [id, runId(id, CREATED)]).map((jobId) => ({ jobId, attempt: 2, token: 2 ** 51 + 2 }));

  it.each(grants)('comes back from $jobId', (grant) => {
    expect(parseGrantedJobId(grantedJobId(grant))).toEqual(grant);
  });

  it.each(grants)('is one that BullMQ takes for $jobId', (grant) => {
    const id = grantedJobId(grant);
    expect(id).not.toContain(':');
    expect(String(Number.parseInt(id, 10))).not.toBe(id);
  });

  it.each(['42', 'a~2~7', 'a~jobwarden~0~1', 'a~jobwarden~1', 'a:b~jobwarden~1~2', '%41~jobwarden~1~2', 'a~jobwarden~1~01'])('is not seen in %j', (nativeId) => {
    expect(parseGrantedJobId(nativeId)).toBeNull();
  });

  it('names the run that it is an attempt of, and no new one', () => {
    const jobId = runId('42', CREATED);
    expect(runOf('42', CREATED)).toEqual({ jobId, firstAttempt: 1 });
    expect(runOf(grantedJobId({ jobId, attempt: 3, token: 9 }), CREATED + 5_000)).toEqual({ jobId, firstAttempt: 3, token: 9 });
  });
});
