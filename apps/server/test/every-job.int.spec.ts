import { describe } from 'vitest';
import { JOB_STATUSES } from '#libs/domain';
import { everyJobAnswers } from './every-job.fixture.js';
import { HOSTILE_NAMES } from './hostile-names.fixture.js';

/** Every status, and a few of the names in each, other ones every time: all of them in all are for the long tier. */
describe('every job that was accepted', () => {
  everyJobAnswers((status) => HOSTILE_NAMES.filter((_, i) => i % JOB_STATUSES.length === JOB_STATUSES.indexOf(status)));
});
