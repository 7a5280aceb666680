// Stands in for the specs of the project `kafka` where no broker can be started, so that the summary shows a skipped test.
import { test } from 'vitest';

test.skip('the tests with Kafka', () => undefined);
