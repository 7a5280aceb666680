// The chart, rendered by Helm itself.
import { join } from 'node:path';
import { inject } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { repository } from '../repository.js';
import { run, type Ran } from '../run.js';

export const chart = join(repository, 'deploy/helm/jobwarden');
export const valuesFile = (name: 'minimal' | 'production') => join(chart, `ci/${name}-values.yaml`);

/** An object of the cluster, as far as these tests look at it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Readonly<Record<string, string>> };
  readonly rules?: unknown;
  readonly roleRef?: unknown;
  readonly subjects?: unknown;
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly groups?: unknown;
    readonly replicas?: number;
    readonly template: { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> }; readonly spec: PodSpec };
  };
}

export interface PodSpec {
  readonly automountServiceAccountToken: boolean;
  readonly containers: readonly [{ readonly env: readonly Variable[]; readonly command?: readonly string[] }];
}

export interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
}

/** `helm` with these arguments, on the chart. */
export const helm = (command: 'template' | 'lint', args: readonly string[]): Promise<Ran> =>
  run(inject('deployCheckers').helm, [command, ...(command === 'template' ? ['jobwarden'] : []), chart, '--namespace', 'jobwarden', ...args]);

/** @throws with what Helm says. */
export async function render(args: readonly string[]): Promise<readonly Manifest[]> {
  const { code, stdout, stderr } = await helm('template', args);
  if (code !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout).flatMap((document) => (document.contents === null ? [] : [document.toJS() as Manifest]));
}

export const ofKind = (manifests: readonly Manifest[], kind: string): readonly Manifest[] => manifests.filter((manifest) => manifest.kind === kind);
