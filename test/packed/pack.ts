import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Manifest {
  readonly name: string;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** One of `packages/`. */
export interface Package {
  /** Of its folder. */
  readonly folder: string;
  readonly manifest: Manifest;
}

export function packagesOf(root: string): readonly Package[] {
  const folders = readdirSync(join(root, 'packages')).filter((name) => existsSync(join(root, 'packages', name, 'package.json')));
  return folders.map((folder) => ({ folder, manifest: readManifest(join(root, 'packages', folder)) as Manifest }));
}

/** The tarballs as they would be published: the service's and those of the packages. Returns their paths. */
export function packAll(root: string, into: string): readonly string[] {
  mkdirSync(into, { recursive: true });
  npm(['pack', '--silent', '--ignore-scripts', '--workspaces', '--include-workspace-root', '--pack-destination', into], root);
  return readdirSync(into).map((name) => join(into, name));
}

/**
 * An empty folder with nothing but the tarballs and what their users have anyway: the queue's own library, at the version that
 * this repository is tested with.
 */
export function installIn(folder: string, tarballs: readonly string[], { root, packages }: { readonly root: string; readonly packages: readonly Package[] }): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"name": "newcomer", "private": true, "type": "module"}\n');
  const { dependencies = {}, devDependencies = {} } = readManifest(root) as { dependencies?: Record<string, string>; devDependencies?: Record<string, string> };
  const tested = { ...devDependencies, ...dependencies };
  const peers = new Set(packages.flatMap(({ manifest }) => Object.keys(manifest.peerDependencies ?? {})));
  const theirs = [...peers].map((name) => `${name}@${tested[name] ?? 'latest'}`);
  npm(['install', '--no-audit', '--no-fund', '--loglevel=error', ...tarballs, ...theirs], folder);
}

function readManifest(folder: string): unknown {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Outside of this repository, and of the npm script that runs us: neither its settings nor its bins reach the newcomer. */
function npm(args: readonly string[], cwd: string): void {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_|^INIT_CWD$/iu.test(name)));
  const { npm_execpath: cli } = process.env;
  const [command, first] = cli === undefined ? ['npm', []] : [process.execPath, [cli]];
  const { status, stderr, stdout } = spawnSync(command, [...first, ...args], { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stdout}${stderr}`);
}
