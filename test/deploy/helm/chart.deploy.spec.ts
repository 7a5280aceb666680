// The chart as Helm lints and renders it, against what the repository says elsewhere.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readEnvironment } from '#libs/config';
import { cliEntry } from '#libs/testing';
import { repository } from '../repository.js';
import { run } from '../run.js';
import { helm, ofKind, render, valuesFile, type Manifest, type PodSpec } from './chart.js';

const minimal = ['--values', valuesFile('minimal')];
const production = ['--values', valuesFile('production')];
let least: readonly Manifest[];
let all: readonly Manifest[];
beforeAll(async () => {
  [least, all] = await Promise.all([render(minimal), render(production)]);
});

describe('helm lint', () => {
  it.each([['the defaults', []], ['the least', minimal], ['everything at once', production]])('finds nothing with %s', async (_, args) => {
    const { code, stdout } = await helm('lint', ['--strict', ...args]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 chart(s) linted, 0 chart(s) failed')]);
    expect(stdout).not.toMatch(/\[(?:WARNING|ERROR)\]/u);
  });

  it('finds a value that is none', async () => {
    const { code, stdout } = await helm('lint', ['--set', 'logLevel=loud']);
    expect([code, stdout]).toEqual([1, expect.stringContaining('/logLevel')]);
  });
});

describe('values that are refused, by name', () => {
  it('are all that the service would refuse at its start, at once', async () => {
    const { code, stderr } = await helm('template', []);
    expect(code).toBe(1);
    for (const name of ['image.repository', 'database.existingSecret', 'policy.settings.tokens']) expect(stderr).toContain(`- ${name}: `);
  });

  it.each([
    ['policy.text=defaults: {}', 'policy.text: has no tokens', ['--set-json', 'policy.settings=null']],
    ['policy.existingSecret=theirs', 'not both', []],
    ['kafka.sasl.mechanism=plain', 'kafka.sasl.existingSecret', []],
    ['kafka.ssl.existingSecret=certificates', 'kafka.ssl.enabled', []],
    ['kafka.ssl.keyKey=tls.key', 'certKey and keyKey', []],
    ['metrics.serviceMonitor.enabled=true', 'metrics.serviceMonitor.tokenSecret', []],
    ['ingress.enabled=true', 'ingress.hosts', []],
    ['terminationGracePeriodSeconds=30', 'terminationGracePeriodSeconds', []],
    ['api.replicas=3', 'roles.apart', []],
    ['replica=3', "additional properties 'replica' not allowed", []],
    ['database.shards=0', '/database/shards', []],
    ['database.existingSecret=A b', '/database/existingSecret', []],
    ['kafka.brokers[0]=kafka', '/kafka/brokers/0', []],
  ])('%s', async (set, said, others) => {
    const { code, stderr } = await helm('template', [...minimal, '--set', set, ...others]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(said)]);
  });
});

it('gives the rights of deploy/kubernetes/rbac.yaml, and none without targets', async () => {
  const file = parseAllDocuments(readFileSync(join(repository, 'deploy/kubernetes/rbac.yaml'), 'utf8')).map((document) => document.toJS() as Manifest);
  const rendered = await render([...minimal, '--set-json', 'rollback.targets=[{"namespace": "shop", "deployments": ["email-workers"], "keda": true}]']);
  const given = rendered.filter(({ kind }) => kind.startsWith('Role')).map(({ metadata: { name, namespace }, ...rest }) => ({ ...rest, metadata: { name, namespace } }));
  expect(given).toEqual(file);
  expect(least.filter(({ kind }) => kind.includes('Role'))).toEqual([]);
});

it('mounts the token of its account only where it has rights', () => {
  const mounted = (manifests: readonly Manifest[]) => ofKind(manifests, 'Deployment').map(({ spec }) => spec.template.spec.automountServiceAccountToken);
  expect([mounted(least), mounted(all)]).toEqual([[false], [true, true]]);
});

it('brings the shipped alerts, each file, as they are but for where their runbooks lie', async () => {
  const folder = join(repository, 'deploy/prometheus');
  const shipped = readdirSync(folder).filter((name) => name.endsWith('.rules.yaml')).map((name) => (parse(readFileSync(join(folder, name), 'utf8')) as { groups: unknown }).groups);
  const rules = async (args: readonly string[]) => ofKind(await render([...minimal, '--set', 'metrics.prometheusRule.enabled=true', ...args]), 'PrometheusRule').map(({ spec }) => spec.groups);
  expect(await rules([])).toEqual(expect.arrayContaining(shipped));
  expect(await rules([])).toHaveLength(shipped.length);
  const moved = JSON.stringify(await rules(['--set', 'metrics.prometheusRule.runbookBaseUrl=https://docs.example/']));
  expect(moved).toContain('"https://docs.example/JobwardenAbsent.md"');
  expect(moved).not.toContain('docs/runbooks/');
});

it('brings the shipped boards, each as it is', () => {
  const folder = join(repository, 'deploy/grafana/dashboards');
  const shipped = readdirSync(folder).map((name) => [name, JSON.parse(readFileSync(join(folder, name), 'utf8')) as unknown]);
  const boards = ofKind(all, 'ConfigMap').filter(({ metadata }) => metadata.labels?.['grafana_dashboard'] === '1').flatMap(({ data = {} }) => Object.entries(data));
  expect(boards.map(([name, text]) => [name, JSON.parse(text) as unknown])).toEqual(shipped);
  expect(ofKind(least, 'ConfigMap').map(({ metadata }) => metadata.name)).toEqual(['jobwarden-policy']);
});

describe('the variables of a pod', () => {
  const environmentOf = ({ containers: [{ env }] }: PodSpec) => Object.fromEntries(env.map(({ name, value, valueFrom }) => [name, value ?? secretOf(name, valueFrom?.secretKeyRef.key ?? '')]));
  const secretOf = (name: string, key: string) => (name === 'JOBWARDEN_DATABASE_URL' ? 'postgres://jobwarden:secret@postgres/jobwarden' : `-----BEGIN ${key}-----`);

  it('are taken by the service', () => {
    for (const { spec } of [...ofKind(least, 'Deployment'), ...ofKind(all, 'Deployment')]) {
      expect(readEnvironment({ NODE_ENV: 'production', ...environmentOf(spec.template.spec) })).toMatchObject({ ok: true });
    }
    expect(readEnvironment({ ...environmentOf(ofKind(least, 'Deployment')[0]!.spec.template.spec), JOBWARDEN_LOGLEVEL: 'info' })).toMatchObject({ ok: false });
  });

  it('are all that there are, but for those that mean nothing in a pod', () => {
    const listed = [...readFileSync(join(repository, 'docs/configuration.md'), 'utf8').matchAll(/^\| `(JOBWARDEN_\w+)`/gmu)].map(([, name]) => name!);
    const set = new Set(ofKind(all, 'Deployment').flatMap(({ spec }) => Object.keys(environmentOf(spec.template.spec))));
    // The embedded database, a cluster elsewhere, pools that are made up: `extraEnv` has them all the same.
    expect(listed.filter((name) => !set.has(name))).toEqual(['JOBWARDEN_DATA_DIR', 'JOBWARDEN_KUBECONFIG', 'JOBWARDEN_SIMULATED']);
  });

  it('split the roles', () => {
    const roles = ofKind(all, 'Deployment').map(({ metadata, spec }) => [metadata.name, environmentOf(spec.template.spec)['JOBWARDEN_ROLES'], spec.replicas]);
    // The autoscaler has the number of those that answer.
    expect(roles).toEqual([['jobwarden-api', 'api', undefined], ['jobwarden-work', 'work', 2]]);
  });

  it('let only the hook migrate, with the right to', () => {
    const [{ spec }] = ofKind(all, 'Job') as [Manifest];
    const [{ command, env }] = spec.template.spec.containers;
    expect(command).toEqual(['jobwarden', 'migrate']);
    expect(env[0]?.valueFrom?.secretKeyRef).toEqual({ name: 'jobwarden-database-owner', key: 'url' });
    expect(ofKind(all, 'Deployment').map((one) => environmentOf(one.spec.template.spec)['JOBWARDEN_MIGRATE'])).toEqual(['off', 'off']);
    expect(ofKind(least, 'Job')).toEqual([]);
  });
});

describe('the policy', () => {
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-policy-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const checksum = (manifests: readonly Manifest[]) => ofKind(manifests, 'Deployment').map(({ spec }) => spec.template.metadata.annotations?.['checksum/policy']);

  it('is one that Jobwarden takes, with the files that it names', async () => {
    const { data = {} } = ofKind(all, 'ConfigMap').find(({ metadata }) => metadata.name === 'jobwarden-policy')!;
    for (const [name, text] of Object.entries(data)) writeFileSync(join(folder, name), text);
    const env = { WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
    expect(await run(process.execPath, [cliEntry, 'policies', 'check', join(folder, 'policy.yaml')], { env })).toMatchObject({ code: 0 });
  });

  it('rolls out when it changes, and not for anything else', async () => {
    const changed = await render([...minimal, '--set', 'policy.settings.defaults.actions=observe']);
    const other = await render([...minimal, '--set', 'logLevel=warn']);
    expect(checksum(changed)).not.toEqual(checksum(least));
    expect(checksum(other)).toEqual(checksum(least));
    expect(checksum(await render([...minimal, '--set', 'policy.restartOnChange=false']))).toEqual([undefined]);
  });

  it('may be a text of yours, kept as it is', async () => {
    const text = '# Ours.\ntokens:\n  - {name: admin, hash: 8c6976e5b5410415bde908bd4dee15dfb167a9c873fc4bb8a81f6f2ab448a918, scopes: [admin]}\n';
    writeFileSync(join(folder, 'ours.yaml'), text);
    const rendered = await render([...minimal, '--set-json', 'policy.settings=null', '--set-file', `policy.text=${join(folder, 'ours.yaml')}`]);
    expect(ofKind(rendered, 'ConfigMap')[0]!.data?.['policy.yaml']).toBe(text);
  });
});

it('closes the ways out that it is not given', () => {
  const [{ spec }] = ofKind(all, 'NetworkPolicy') as unknown as [{ spec: { egress: { ports: { port: number }[] }[] } }];
  expect(spec.egress.map(({ ports }) => ports.map(({ port }) => port))).toEqual([[53, 53], [6432, 9093, 9093, 4318, 443, 6443], [443]]);
});
