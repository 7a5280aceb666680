import { expect, it } from 'vitest';
import { builtInPolicy, parsePolicy, type PolicyFile } from '#libs/config';
import { NO_REDACTION } from '#libs/contracts';
import { buildOrchestrators } from './orchestrators.js';

const build = (env: Readonly<Record<string, string>> = {}, current: PolicyFile = builtInPolicy()) =>
  buildOrchestrators({
    environment: { orchestrators: { kubeconfig: env['KUBECONFIG_FILE'] ?? null, simulated: null } },
    env,
    files: { current },
    redactor: () => NO_REDACTION,
    now: () => 0,
  });
const policy = (text: string): PolicyFile => {
  const parsed = parsePolicy(text, 'policy.yaml');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  return parsed.value;
};
const signal = new AbortController().signal;

it('a target is served by what its name begins with', () => {
  expect(build({ KUBECONFIG_FILE: '/none' }).for('shop/workers').kind).toBe('kubernetes');
  expect(build({ KUBERNETES_SERVICE_HOST: '10.0.0.1' }).for('shop/workers').kind).toBe('kubernetes');
  expect(build().for('command:emails').kind).toBe('command');
});

it('what is not set up is told, with the variable', () => {
  expect(() => build().for('shop/workers')).toThrow(/JOBWARDEN_KUBECONFIG is not set/);
  expect(() => build().for('simulated:trial')).toThrow(/JOBWARDEN_SIMULATED is not set/);
});

it('a kubeconfig that cannot be read is told with the first call, and is read again with the next', async () => {
  const cluster = build({ KUBECONFIG_FILE: '/none' }).for('shop/workers');
  await expect(cluster.observe('shop/workers', signal)).rejects.toMatchObject({ code: 'unsupported' });
  await expect(cluster.observe('shop/workers', signal)).rejects.toMatchObject({ code: 'unsupported' });
});

it('a command gets the variables that the policy names, and no other of the service', async () => {
  const print = 'process.stdout.write(JSON.stringify({wanted: 1, available: 1, revision: Object.keys(process.env).sort().join(" ")}))';
  const text = `orchestrators: {emails: {observe: [${JSON.stringify(process.execPath)}, -e, ${JSON.stringify(print)}], apply: [x], env: {BRANCH: main}, envFrom: [GIT_TOKEN]}}`;
  const env = { PATH: '/bin', GIT_TOKEN: 'x', JOBWARDEN_DATABASE_URL: 'postgres://secret' };
  const seen = await build(env, policy(text)).for('command:emails').observe('command:emails', signal);
  expect(seen.revision).toBe('BRANCH GIT_TOKEN JOBWARDEN_DRY_RUN JOBWARDEN_TARGET JOBWARDEN_VERB PATH');
});
