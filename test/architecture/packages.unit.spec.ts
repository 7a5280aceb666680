// A package is installed alone: whatever its sources import must be its own, declared, or of Node.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../../packages');
// What a removed package has left behind, such as its dist, is none.
const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'package.json')));

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const manifest = (name: string) => JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')) as Manifest;

/** Also of types: whoever compiles against the package needs those. */
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'([^'.][^']*)'/gu;

function imported(source: string): readonly string[] {
  const found = [...source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gmu, '').matchAll(IMPORT)].map(([, specifier = '']) => specifier);
  return found.filter((specifier) => !isBuiltin(specifier)).map((specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'));
}

function shippedSources(name: string): readonly string[] {
  const source = join(folder, name, 'src');
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(?:spec|fixture)\.ts$/u.test(file))
    .map((file) => readFileSync(join(source, file), 'utf8'));
}

describe.each(names)('the package %s', (name) => {
  it('declares what it imports', () => {
    const { dependencies = {}, peerDependencies = {} } = manifest(name);
    const declared = new Set([...Object.keys(dependencies), ...Object.keys(peerDependencies)]);
    expect(shippedSources(name).flatMap(imported).filter((specifier) => !declared.has(specifier))).toEqual([]);
  });

  it('has the name of its folder, the version of the service and its licence', () => {
    const { version, license } = JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8')) as Manifest;
    expect(manifest(name)).toMatchObject({ name: `@jobwarden/${name}`, version, license });
    expect(readFileSync(join(folder, name, 'LICENSE'), 'utf8')).toBe(readFileSync(join(folder, '../LICENSE'), 'utf8'));
  });
});

it.each([
  [`import pg from 'pg';`, ['pg']],
  [`import type { Redis } from 'ioredis';`, ['ioredis']],
  [`export { trace } from '@opentelemetry/api/build/esm';`, ['@opentelemetry/api']],
  [`const prom = await import('prom-client');`, ['prom-client']],
  [`import { join } from 'node:path'; import './beside.js'; import { Worker } from 'worker_threads';`, []],
  [`// import 'nothing'`, []],
])('reads the imports of %s', (source, found) => {
  expect(imported(source)).toEqual(found);
});
