// docker-compose.yml as Docker Compose reads it, with the secrets that its script makes.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { parse } from 'yaml';
import { cliEntry, prometheusLeftOut } from '#libs/testing';
import { repository } from './repository.js';
import { run, type Ran } from './run.js';

interface Service {
  readonly image?: string;
  readonly cap_drop?: readonly string[];
  readonly read_only?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly { readonly host_ip?: string; readonly published: string }[];
  readonly volumes?: readonly { readonly type: string; readonly source: string; readonly target: string }[];
  readonly secrets?: readonly { readonly source: string; readonly target?: string }[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly profiles?: readonly string[];
}

interface Project {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

/** A checkout with nothing but this and what the script makes. */
const folder = mkdtempSync(join(tmpdir(), 'jobwarden-compose-'));
const file = join(folder, 'docker-compose.yml');
const text = readFileSync(join(repository, 'docker-compose.yml'), 'utf8');
const init = () => run('sh', [join(repository, 'deploy/compose/init.sh'), folder]);
const read = (env: Readonly<Record<string, string>> = {}) => run(inject('deployCheckers').compose, [folder], { env });

async function project(env?: Readonly<Record<string, string>>): Promise<Project> {
  const { code, stdout, stderr } = await read(env);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Project;
}

async function faulty(from: string, to: string): Promise<Ran> {
  if (!text.includes(from)) throw new Error(`docker-compose.yml has no "${from}" any more.`);
  writeFileSync(file, text.replace(from, to));
  try {
    return await read();
  } finally {
    writeFileSync(file, text);
  }
}

beforeAll(async () => {
  writeFileSync(file, text);
  const { code, stderr } = await init();
  expect([code, stderr]).toEqual([0, '']);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('docker-compose.yml', () => {
  it('has a database, a Kafka, Jobwarden, and what watches it', async () => {
    const { services } = await project();
    expect(Object.keys(services).sort()).toEqual(['alertmanager', 'grafana', 'jobwarden', 'kafka', 'postgres', 'prometheus']);
    expect(Object.values(services).flatMap(({ profiles = [] }) => profiles)).toEqual([]);
  });

  it('publishes every port on the loopback address alone', async () => {
    const ports = Object.values((await project()).services).flatMap((service) => service.ports ?? []);
    expect(ports.map(({ published }) => published).sort()).toEqual(['3000', '5432', '7411', '9090', '9092', '9093']);
    expect(ports.filter(({ host_ip: address }) => address !== '127.0.0.1')).toEqual([]);
  });

  it('checks the health of each, which the image of Jobwarden does itself', async () => {
    const { services } = await project();
    expect(Object.keys(services).filter((name) => services[name]!.healthcheck === undefined)).toEqual(['jobwarden']);
  });

  it('takes all rights of root from each but the database, which needs them to give them up', async () => {
    const { services } = await project();
    expect(Object.keys(services).filter((name) => services[name]!.cap_drop?.join() !== 'ALL')).toEqual(['postgres']);
    expect(services['jobwarden']!.read_only).toBe(true);
  });

  it('mounts only what is in the repository or was made by its script', async () => {
    const { services, secrets } = await project();
    const bound = Object.values(services).flatMap(({ volumes = [] }) => volumes.filter(({ type }) => type === 'bind').map(({ source }) => source));
    const sources = [...bound, ...Object.values(secrets).map((secret) => secret.file)].map((source) => relative(folder, source));
    expect(sources).toContain('deploy/prometheus/alertmanager.yaml');
    expect(sources.filter((source) => !existsSync(join(repository, source)) && !existsSync(join(folder, source)))).toEqual([]);
  });

  it('goes without Kafka where its address is empty, and not where nobody said so', async () => {
    const brokers = async (env: Readonly<Record<string, string>>) => (await project(env)).services['jobwarden']!.environment!['JOBWARDEN_KAFKA_BROKERS'];
    expect([await brokers({}), await brokers({ JOBWARDEN_KAFKA_BROKERS: '' })]).toEqual(['kafka:19092', '']);
  });

  it.each([
    ['a key that is none', '    read_only: true', '    readonly: true', /readonly/u],
    ['a secret that nobody defines', 'source: metrics-token', 'source: metric-token', /metric-token/u],
    ['a volume that nobody defines', 'postgres:/var/lib', 'postgre:/var/lib', /postgre/u],
    ['a service to wait for that is not there', '      postgres:\n        condition', '      database:\n        condition', /database/u],
    ['a port that is none', '127.0.0.1:7411:7411', '127.0.0.1:7411:http', /invalid|port/iu],
  ])('is refused with %s', async (_, from, to, said) => {
    const { code, stderr } = await faulty(from, to);
    expect([code, stderr]).toEqual([1, expect.stringMatching(said)]);
  });
});

describe('its secrets', () => {
  it('are asked for where they are missing', async () => {
    const env = join(folder, '.env');
    const kept = readFileSync(env);
    rmSync(env);
    const { code, stderr } = await read();
    writeFileSync(env, kept, { mode: 0o600 });
    expect([code, stderr]).toEqual([1, expect.stringContaining('run sh deploy/compose/init.sh')]);
  });

  it('are made once, and can be read by nobody else on this machine', async () => {
    const token = () => readFileSync(join(folder, 'deploy/compose/secrets/admin-token'), 'utf8');
    const before = token();
    await init();
    expect([token(), before]).toEqual([before, expect.stringMatching(/^[0-9a-f]{64}$/u)]);
    const mode = (name: string) => statSync(join(folder, name)).mode & 0o777;
    expect([mode('.env'), mode('deploy/compose/secrets')]).toEqual([0o600, 0o700]);
  });

  it('make a policy file that Jobwarden takes', async () => {
    const policy = join(folder, 'deploy/compose/secrets/policy/policy.yaml');
    expect(await run(process.execPath, [cliEntry, 'policies', 'check', policy])).toMatchObject({ code: 0 });
    const { tokens } = parse(readFileSync(policy, 'utf8')) as { tokens: { name: string; scopes: string[] }[] };
    expect(tokens.map(({ name, scopes }) => `${name}: ${scopes.join()}`)).toEqual(['admin: admin', 'workers: emit', 'metrics: read', 'alerts: operate']);
  });

  it('lie where Prometheus and Alertmanager look for them', async () => {
    const { services } = await project();
    const target = (name: string) => services[name]!.secrets![0]!.target;
    expect(readFileSync(join(repository, 'deploy/compose/prometheus.yaml'), 'utf8')).toContain(`credentials_file: ${String(target('prometheus'))}\n`);
    expect(readFileSync(join(repository, 'deploy/prometheus/alertmanager.yaml'), 'utf8')).toContain(`credentials_file: ${String(target('alertmanager'))}\n`);
  });
});

describe.skipIf(prometheusLeftOut())('the configuration of Prometheus', () => {
  /** As it is mounted, below a folder of ours. */
  function mounted(change: (config: string) => string): string {
    const etc = mkdtempSync(join(folder, 'prometheus-'));
    const config = readFileSync(join(repository, 'deploy/compose/prometheus.yaml'), 'utf8').replaceAll('/etc/prometheus/', `${etc}/`);
    writeFileSync(join(etc, 'prometheus.yaml'), change(config));
    symlinkSync(join(repository, 'deploy/prometheus'), join(etc, 'rules'));
    cpSync(join(folder, 'deploy/compose/secrets/metrics-token'), join(etc, 'jobwarden-token'));
    return join(etc, 'prometheus.yaml');
  }

  it('is taken, with every rule that is shipped', async () => {
    const { code, stdout } = await run('promtool', ['check', 'config', mounted((config) => config)]);
    expect(code).toBe(0);
    expect(stdout).toContain('rules/jobwarden.rules.yaml');
  });

  it('is refused with a key that is none', async () => {
    const { code } = await run('promtool', ['check', 'config', mounted((config) => config.replace('rule_files', 'rules_files'))]);
    expect(code).toBe(1);
  });
});
