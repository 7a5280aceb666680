import { describe, expect, it } from 'vitest';
import { faultsOf, goodPolicy, placesOf } from './policy.fixture.js';

const commands = 'observe: [look], apply: [roll, back]';

describe('orchestrators', () => {
  it('are commands by name, with a time limit and variables of their own', () => {
    const file = goodPolicy(`orchestrators:\n  emails: {${commands}, timeout: 2m, env: {BRANCH: main}, envFrom: [GIT_TOKEN]}\n  plain: {${commands}}\n`);
    expect(file.orchestrators.get('emails')).toEqual({
      ...{ observe: ['look'], apply: ['roll', 'back'], timeoutMs: 120_000 },
      ...{ env: { BRANCH: 'main' }, envFrom: ['GIT_TOKEN'] },
    });
    expect(file.orchestrators.get('plain')).toMatchObject({ timeoutMs: 30_000, env: {}, envFrom: [] });
  });

  it.each([
    [`a: {apply: [x]}`, ['missing-key']],
    [`a: {${commands}, timeout: 30}`, ['bad-value']],
    [`a: {observe: look.sh, apply: [x]}`, ['bad-value']],
    [`a: {observe: [], apply: [x]}`, ['bad-value']],
    [`a: {${commands}, env: {JOBWARDEN_TOKEN: x}}`, ['bad-value']],
    [`a: {${commands}, envFrom: [JOBWARDEN_DATABASE_URL]}`, ['bad-value']],
    [`a: {${commands}, envfrom: [X]}`, ['unknown-key']],
    [`"a b": {${commands}}`, ['bad-name']],
  ])('refuses %s', (entry, codes) => expect(faultsOf(`orchestrators:\n  ${entry}\n`).map((fault) => fault.code)).toEqual(codes));

  it('never show the value of a variable', () => {
    const faults = faultsOf(`orchestrators: {a: {${commands}, env: {JOBWARDEN_X: hunter2}}}`);
    expect(faults).toHaveLength(1);
    expect(JSON.stringify(faults)).not.toContain('hunter2');
  });

  it('change the meaning of the file', () => {
    const version = (branch: string) => goodPolicy(`orchestrators: {a: {${commands}, env: {BRANCH: ${branch}}}}`).version;
    expect(version('main')).not.toBe(version('live'));
    expect(version('main')).toBe(version('"main"'));
  });
});

describe('a target', () => {
  const target = (written: string) => `defaults: {rollback: {target: "${written}"}}\norchestrators: {email-workers: {${commands}}}\n`;

  it.each(['shop/email-workers', 'shop/workers.v2', 'command:email-workers', 'simulated:trial', 'none'])('may be %s', (written) => {
    expect(faultsOf(target(written))).toEqual([]);
  });

  it.each(['workers', 'Shop/workers', 'shop/a/b', 'shop/', 'kubectl:x', 'command:', 'shop/workers; rm -rf /'])('is not %s', (written) => {
    expect(faultsOf(target(written)).map((fault) => fault.code)).toEqual(['bad-value']);
  });

  it('that nobody serves is a fault, with the name that may be meant', () => {
    expect(placesOf(target('command:email-worker'))).toEqual(['1:23 unknown-orchestrator defaults.rollback.target']);
    expect(faultsOf(target('command:email-worker'))[0]?.mend).toBe('did you mean "email-workers"?');
    expect(faultsOf('defaults: {rollback: {target: "command:x"}}')[0]?.code).toBe('unknown-orchestrator');
  });
});
