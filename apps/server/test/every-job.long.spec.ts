import { describe } from 'vitest';
import { everyJobAnswers } from './every-job.fixture.js';
import { HOSTILE_NAMES } from './hostile-names.fixture.js';

describe('every job that was accepted, under every name', () => {
  everyJobAnswers(() => HOSTILE_NAMES);
});
