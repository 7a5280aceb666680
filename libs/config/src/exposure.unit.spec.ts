import { describe, expect, it } from 'vitest';
import { readEnvironment } from './environment.js';
import { checkExposure, isLoopback } from './exposure.js';
import { parsePolicy } from './policy-file.js';

describe('exposure', () => {
  it.each(['127.0.0.1', '127.8.8.8', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', 'localhost', 'LOCALHOST'])(
    '%s is loopback',
    (host) => expect(isLoopback(host)).toBe(true),
  );

  it.each([
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '127.0.0.1.example.com',
    'localhost.example.com',
    '::ffff:10.0.0.1',
    '1270.0.0.1',
  ])('%s is not', (host) => expect(isLoopback(host)).toBe(false));

  it('of another address needs tokens in the policy file', () => {
    const token = `tokens: [{name: ci, hash: ${'a'.repeat(64)}, scopes: [emit]}]`;
    expect(faults('0.0.0.0', '')).toMatchObject([{ code: 'exposed-without-tokens', path: 'JOBWARDEN_HTTP_HOST' }]);
    expect(faults('0.0.0.0', token)).toEqual([]);
    expect(faults('127.0.0.1', '')).toEqual([]);
  });
});

function faults(host: string, policy: string) {
  const environment = readEnvironment({ JOBWARDEN_HTTP_HOST: host });
  const file = parsePolicy(policy, 'policy.yaml');
  if (!environment.ok || !file.ok) throw new Error('both are valid by themselves');
  return checkExposure(environment.value, file.value);
}
