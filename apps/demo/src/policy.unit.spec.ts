import { expect, test } from 'vitest';
import { parsePolicy } from '#libs/config';
import { policyOf } from './policy.js';

test('is one that the service takes, also where the folder has a blank, a quote or a colon in its name', () => {
  expect(parsePolicy(policyOf('/tmp/a "demo": of mine'), 'policy.yaml')).toMatchObject({ ok: true });
});
