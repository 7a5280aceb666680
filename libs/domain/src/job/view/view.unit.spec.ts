import { describe, expect, it } from 'vitest';
import {
  decided,
  failed,
  failedForGood,
  job,
  queued,
  renewalFailed,
  started,
  succeeded,
} from '../events/events.fixture.js';
import type { JobEvent } from '../fold/fold.js';
import { tokenOf } from '../events/token.js';
import { viewOf, type JobStatus } from './view.js';

function statusOf(...events: readonly JobEvent[]): JobStatus {
  return viewOf(job(...events)).status;
}

const ownerQueue = true;
const requested = decided(1, 'restart-requested');
const scheduled = decided(1, 'retry-scheduled');
const held = decided(1, 'held-incomplete');
const requeued = decided(2, 'requeued', 2);

describe('a job without decisions', () => {
  it('stands where the facts of its first attempt say', () => {
    expect(statusOf()).toBe('queued');
    expect(statusOf(queued())).toBe('queued');
    expect(statusOf(queued(), started())).toBe('processing');
    expect(statusOf(queued(), started(), failed())).toBe('failed');
    expect(statusOf(queued(), started(), failed(), succeeded())).toBe('succeeded');
  });

  it('takes no status from an attempt that nobody granted, except that a success always counts', () => {
    expect(statusOf(queued(), started(2))).toBe('queued');
    expect(statusOf(queued(), failed(2))).toBe('queued');
    expect(statusOf(queued(), succeeded(2))).toBe('succeeded');
  });

  it('follows the highest attempt seen where the queue itself grants', () => {
    expect(viewOf(job(queued(), failed(1, { ownerQueue }), started(2, { ownerQueue })))).toMatchObject({
      status: 'processing',
      attempt: 2,
    });
    expect(statusOf(queued(), failed(3, { ownerQueue }))).toBe('failed');
  });
});

describe('a decision by hand', () => {
  it('stands over everything, a success included, until a redrive', () => {
    const cancelled = decided(1, 'cancelled');
    expect(statusOf(started(), cancelled, succeeded())).toBe('cancelled');
    expect(statusOf(started(), decided(1, 'discarded'), succeeded())).toBe('discarded');
    expect(statusOf(started(), cancelled, decided(2, 'redriven'), decided(3, 'requeued', 2))).toBe('requeued');
    expect(statusOf(started(), cancelled, decided(2, 'redriven'), decided(3, 'requeued', 2), succeeded())).toBe('succeeded');
  });

  it('is the last of several', () => {
    expect(statusOf(decided(1, 'dead-lettered'), decided(2, 'discarded'))).toBe('discarded');
    expect(statusOf(decided(1, 'dead-lettered'), decided(2, 'resolved-by-hand'))).toBe('succeeded');
  });
});

describe('a restart-requested', () => {
  it('bears while its attempt runs', () => {
    expect(statusOf(queued(), started(), requested)).toBe('restart-requested');
  });

  it('no longer bears once its attempt has ended by its own fact', () => {
    expect(statusOf(queued(), started(), requested, failed())).toBe('failed');
    expect(statusOf(queued(), started(), requested, succeeded())).toBe('succeeded');
  });

  it('no longer bears once the queue has begun a newer attempt', () => {
    expect(statusOf(queued(), started(), requested, started(2, { ownerQueue }))).toBe('processing');
  });
});

describe('a retry-scheduled', () => {
  it('keeps bearing although its attempt has ended: that is why it was made', () => {
    expect(statusOf(queued(), started(), failed(), scheduled)).toBe('retrying');
    expect(statusOf(queued(), started(), failed(), scheduled, failed(1, { id: 'again' }))).toBe('retrying');
  });

  it('gives way to another run of its attempt that fails for good, while no newer attempt is granted', () => {
    expect(statusOf(queued(), started(), failed(), scheduled, failedForGood())).toBe('failed');
    expect(statusOf(queued(), failed(), scheduled, requeued, failedForGood())).toBe('requeued');
    // Whatever had borne the status before it is past too.
    expect(statusOf(queued(), started(), requested, failed(), decided(2, 'retry-scheduled', 1), failedForGood())).toBe('failed');
  });

  it('gives way to a newer attempt, granted here or begun by the queue', () => {
    expect(statusOf(queued(), failed(), scheduled, requeued)).toBe('requeued');
    expect(statusOf(queued(), failed(), scheduled, started(2, { ownerQueue }))).toBe('processing');
    expect(statusOf(queued(), failed(), scheduled, started(2))).toBe('retrying');
  });
});

describe('a requeued', () => {
  it('bears until the facts of its attempt come, then they do', () => {
    expect(statusOf(queued(), failed(), scheduled, requeued)).toBe('requeued');
    expect(statusOf(queued(), failed(), scheduled, requeued, started(2))).toBe('processing');
    expect(statusOf(queued(), failed(), scheduled, requeued, failed(2))).toBe('failed');
    expect(statusOf(queued(), failed(), scheduled, requeued, renewalFailed(2))).toBe('processing');
  });

  it('is not moved by late facts of older attempts, but by their success', () => {
    expect(statusOf(queued(), started(), requested, requeued, failed())).toBe('requeued');
    expect(statusOf(queued(), started(), requested, requeued, started(1, { id: 'late' }))).toBe('requeued');
    expect(statusOf(queued(), started(), requested, requeued, succeeded())).toBe('succeeded');
  });
});

describe('a restart-withdrawn', () => {
  it('leaves the job with the facts of its attempt, or processing without any', () => {
    const withdrawn = decided(2, 'restart-withdrawn');
    expect(statusOf(queued(), started(), requested, withdrawn)).toBe('processing');
    expect(statusOf(queued(), started(), requested, withdrawn, failed())).toBe('failed');
    expect(statusOf(queued(), requested, withdrawn)).toBe('processing');
  });
});

describe('a held-incomplete', () => {
  it('bears over a failure that may be retried: the job is to be requeued anyway', () => {
    expect(statusOf(started(), held)).toBe('incomplete');
    expect(statusOf(started(), held, failed())).toBe('incomplete');
    expect(statusOf(started(), held, queued())).toBe('incomplete');
  });

  it('gives way to a failure for good of the current attempt, and to any success', () => {
    expect(statusOf(started(), held, failedForGood())).toBe('failed');
    expect(statusOf(started(), held, failedForGood(2))).toBe('incomplete');
    expect(statusOf(started(), held, succeeded())).toBe('succeeded');
  });
});

describe('a dead letter', () => {
  it('stands over late failures and starts, and gives way to a late success', () => {
    const dead = decided(1, 'dead-lettered');
    expect(statusOf(queued(), failedForGood(), dead)).toBe('dead-lettered');
    expect(statusOf(queued(), failedForGood(), dead, started(1, { id: 'late' }))).toBe('dead-lettered');
    expect(statusOf(queued(), failedForGood(), dead, succeeded())).toBe('succeeded');
  });

  it('is left by a redrive', () => {
    const dead = decided(1, 'dead-lettered');
    expect(statusOf(failed(), dead, decided(2, 'redriven'), decided(3, 'requeued', 2))).toBe('requeued');
  });
});

describe('the token of a job', () => {
  it('is epoch × 2³² + attempt of the first grant, then that of each grant', () => {
    const epoch = 5;
    expect(viewOf(job(queued({ epoch }))).token).toBe(tokenOf(5, 1));
    const regranted = decided(1, 'requeued', 2, { token: tokenOf(7, 2) });
    expect(viewOf(job(queued({ epoch }), regranted)).token).toBe(tokenOf(7, 2));
  });

  it('does not fall when the queue begins an attempt after a grant of a later epoch', () => {
    const regranted = decided(1, 'requeued', 2, { token: tokenOf(7, 2) });
    const view = viewOf(job(queued({ epoch: 5 }), regranted, started(3, { ownerQueue, epoch: 7 })));
    expect(view).toMatchObject({ attempt: 3, token: tokenOf(7, 3) });
  });
});
