import { describe, expect, it } from 'vitest';
import { TerminalError } from '#libs/application';
import { problemOf } from './problem-of.js';

describe('a failure that repeating does not mend', () => {
  it.each([
    ['unstorable', 400],
    ['cursor_invalid', 400],
    ['evidence_over', 409],
    ['newer_rows', 500],
  ])('%s is answered %i, with its code', (code, status) => {
    expect(problemOf(new TerminalError(code, 'why')).body({ url: '/v1/x?y', id: 'r' })).toMatchObject({ status, code, detail: 'why', instance: '/v1/x' });
  });
});
