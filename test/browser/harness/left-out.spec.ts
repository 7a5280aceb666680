// Stands in for the specs of the project `browser` where there is none, so that the summary shows a skipped test.
import { test } from 'vitest';

test.skip('the tests in a browser', () => undefined);
