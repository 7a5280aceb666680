import { isIPv4 } from 'node:net';
import type { Environment } from './environment-types.js';
import type { Fault } from './fault.js';
import type { PolicyFile } from './policy-types.js';

/** True for addresses that only this machine can reach. A name other than `localhost` may resolve to anything. */
export function isLoopback(host: string): boolean {
  const bare = host.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  if (isIPv4(bare)) return bare.startsWith('127.');
  return bare === 'localhost' || /^(?:0{1,4}:){7}0{0,3}1$/.test(bare) || bare === '::1';
}

/**
 * Without tokens everybody who reaches the port may do everything, so nobody else may reach it. Asked at
 * start and again at each reload: a file that loses its tokens is a bad reload.
 */
export function checkExposure(environment: Environment, policy: PolicyFile): readonly Fault[] {
  const { host } = environment.http;
  if (isLoopback(host) || policy.tokens.length > 0) return [];
  return [
    {
      code: 'exposed-without-tokens',
      source: 'environment',
      path: 'JOBWARDEN_HTTP_HOST',
      rule: `${host} can be reached from other machines, and the policy file has no tokens`,
      mend: 'add `tokens` to the policy file (JOBWARDEN_CONFIG), or listen on 127.0.0.1',
    },
  ];
}
