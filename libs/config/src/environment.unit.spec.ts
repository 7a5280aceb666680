import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readEnvironment } from './environment.js';
import type { Variables } from './environment-reading.js';
import { ENVIRONMENT_VARIABLES } from './environment-variables.js';
import type { Fault } from './fault.js';

function faultsOf(env: Variables): readonly Fault[] {
  const result = readEnvironment(env);
  return result.ok ? [] : result.faults;
}

function read(env: Variables) {
  const result = readEnvironment(env);
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result.value;
}

describe('the environment', () => {
  it('has a default for everything: loopback, embedded, no policy file', () => {
    expect(read({})).toEqual({
      production: false,
      http: { host: '127.0.0.1', port: 7411 },
      database: { mode: 'embedded', dataDir: '.jobwarden/' },
      dataDir: '.jobwarden/',
      configFile: null,
      roles: ['api', 'work'],
      migrate: 'on',
      actions: 'on',
      dashboard: 'on',
      logLevel: 'info',
      shards: 16,
      orchestrators: { kubeconfig: null, simulated: null },
      kafka: null,
    });
  });

  it('reads every variable', () => {
    const environment = read({
      NODE_ENV: 'production',
      JOBWARDEN_HTTP_PORT: '8080',
      JOBWARDEN_HTTP_HOST: '[::1]',
      JOBWARDEN_DATABASE_URL: 'postgres://app:pw@db:5432/jobs',
      JOBWARDEN_DATA_DIR: '/var/lib/jobwarden',
      JOBWARDEN_CONFIG: '/etc/policy.yaml',
      JOBWARDEN_ROLES: 'work, api,work',
      JOBWARDEN_ACTIONS: 'off',
      JOBWARDEN_LOG_LEVEL: 'debug',
      JOBWARDEN_SHARDS: '64',
    });
    expect(environment).toMatchObject({
      production: true,
      http: { host: '::1', port: 8080 },
      configFile: '/etc/policy.yaml',
      roles: ['work', 'api'],
      actions: 'off',
      logLevel: 'debug',
      shards: 64,
    });
    expect(environment.database.mode === 'external' && environment.database.url.reveal()).toBe(
      'postgres://app:pw@db:5432/jobs',
    );
  });

  it('is frozen, down to its parts', () => {
    const environment = read({});
    for (const part of [environment, environment.http, environment.database, environment.roles]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it('reports every fault together, each with its name, rule and mend', () => {
    const faults = faultsOf({
      JOBWARDEN_HTTP_PORT: '70000',
      JOBWARDEN_HTTP_HOST: 'host:80',
      JOBWARDEN_ROLES: 'api,worker',
      JOBWARDEN_ACTIONS: 'no',
      JOBWARDEN_LOG_LEVEL: 'inof',
      JOBWARDEN_SHARDS: '0',
      JOBWARDEN_CONFG: 'x',
    });
    expect(faults.map((fault) => [fault.path, fault.code])).toEqual([
      ['JOBWARDEN_HTTP_HOST', 'not-a-host'],
      ['JOBWARDEN_HTTP_PORT', 'not-a-number'],
      ['JOBWARDEN_ROLES', 'unknown-word'],
      ['JOBWARDEN_ACTIONS', 'unknown-word'],
      ['JOBWARDEN_LOG_LEVEL', 'unknown-word'],
      ['JOBWARDEN_SHARDS', 'not-a-number'],
      ['JOBWARDEN_CONFG', 'unknown-variable'],
    ]);
    expect(faults.find((fault) => fault.path === 'JOBWARDEN_LOG_LEVEL')?.mend).toBe('did you mean "info"?');
    expect(faults.find((fault) => fault.path === 'JOBWARDEN_CONFG')?.mend).toBe('did you mean JOBWARDEN_CONFIG?');
    for (const fault of faults) expect(fault.rule.length * fault.mend.length).toBeGreaterThan(0);
  });

  it.each(['1e3', '80 ', '+80', '0x50', '', ' '])('takes only digits as a number: %j', (value) => {
    const result = readEnvironment({ JOBWARDEN_HTTP_PORT: value });
    if (value.trim() === '' || value.trim() === '80') expect(result.ok).toBe(true);
    else expect(result.ok).toBe(false);
  });
});

describe('the address of the database', () => {
  it('is required in production', () => {
    expect(faultsOf({ NODE_ENV: 'production' })).toMatchObject([
      { path: 'JOBWARDEN_DATABASE_URL', code: 'embedded-in-production' },
    ]);
  });

  it('is refused when empty, rather than falling back to another database', () => {
    expect(faultsOf({ JOBWARDEN_DATABASE_URL: '' })).toMatchObject([{ code: 'empty' }]);
    expect(faultsOf({ NODE_ENV: 'production', JOBWARDEN_DATABASE_URL: ' ' })).toMatchObject([{ code: 'empty' }]);
  });

  it('is shown by no fault and by no print, whatever is wrong with it', () => {
    for (const url of ['mysql://u:hunter2@db/x', 'hunter2', 'postgres://u:hunter2/@db']) {
      const faults = faultsOf({ JOBWARDEN_DATABASE_URL: url });
      expect(faults).toHaveLength(1);
      expect(JSON.stringify(faults)).not.toContain('hunter2');
    }
    const environment = read({ JOBWARDEN_DATABASE_URL: 'postgres://u:hunter2@db/x' });
    expect(JSON.stringify(environment)).not.toContain('hunter2');
    expect(inspect(environment, { depth: 9 })).not.toContain('hunter2');
    expect(environment.database.mode === 'external' ? String(environment.database.url) : '').toBe('[secret]');
  });
});

describe('variables that are not meant for the service', () => {
  it('lets pass what Kubernetes sets for a Service named jobwarden', () => {
    const links = {
      JOBWARDEN_SERVICE_HOST: '10.0.0.1',
      JOBWARDEN_SERVICE_PORT: '7411',
      JOBWARDEN_SERVICE_PORT_HTTP: '7411',
      JOBWARDEN_PORT: 'tcp://10.0.0.1:7411',
      JOBWARDEN_PORT_7411_TCP: 'tcp://10.0.0.1:7411',
      JOBWARDEN_PORT_7411_TCP_ADDR: '10.0.0.1',
      JOBWARDEN_POSTGRES_SERVICE_HOST: '10.0.0.2',
      JOBWARDEN_TEST_REPORT: '/tmp/report.json',
      JOBWARDEN_TOKEN: 'of the command line',
    };
    expect(faultsOf(links)).toEqual([]);
  });

  it('does not take a port that somebody wrote for such a link', () => {
    const [fault] = faultsOf({ JOBWARDEN_PORT: '8080' });
    expect(fault?.mend).toContain('JOBWARDEN_HTTP_PORT');
  });

  it('explains a port that a Service named jobwarden-http has overwritten', () => {
    const [fault] = faultsOf({ JOBWARDEN_HTTP_PORT: 'tcp://10.0.0.1:7411' });
    expect(fault?.mend).toContain('Kubernetes Service');
  });

  it('ignores everything without the prefix', () => {
    expect(faultsOf({ PATH: '/bin', JOBWARDENX: '1' })).toEqual([]);
  });
});

it('every variable of the reference page is one that is read', () => {
  for (const variable of Object.values(ENVIRONMENT_VARIABLES)) {
    // An absurd value is either taken or refused under this very name, never passed over as unknown.
    const codes = faultsOf({ [variable.name]: ':absurd:' }).map((fault) => fault.code);
    expect(codes).not.toContain('unknown-variable');
  }
});
