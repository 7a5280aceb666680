// Manifests for canaries that are shipped, as they lie there.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { repository } from '../repository.js';

export interface Shipped {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: unknown;
}

/** Of a file below `deploy/`. */
export function shippedIn(file: string): readonly Shipped[] {
  return parseAllDocuments(readFileSync(join(repository, 'deploy', file), 'utf8')).map((document) => document.toJS() as Shipped);
}

/** Files of a folder below `deploy/`. */
export function filesIn(folder: string): readonly string[] {
  return readdirSync(join(repository, 'deploy', folder)).filter((name) => name.endsWith('.yaml')).sort().map((name) => `${folder}/${name}`);
}

export function specOf(manifests: readonly Shipped[], kind: string): unknown {
  const found = manifests.find((m) => m.kind === kind);
  if (found === undefined) throw new Error(`no ${kind} among ${manifests.map((m) => m.kind).join(', ')}`);
  return found.spec;
}
