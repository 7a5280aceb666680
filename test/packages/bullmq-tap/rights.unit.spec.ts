import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TAP_RIGHTS } from './rights.fixture.js';

const root = join(import.meta.dirname, '../../..');

describe('the rights of a tap', () => {
  it('are in the documentation as they are tried', () => {
    expect(readFileSync(join(root, 'docs/observe.md'), 'utf8')).toContain(`ACL SETUSER jobwarden-tap on >a-long-password ${TAP_RIGHTS}\n`);
  });
});
