import { readFile } from 'node:fs/promises';
import type { PolicySource } from '#libs/application';
import { parsePolicy, resolvePolicy, type Origin, type PolicyFile, type Result } from '#libs/config';
import type { PolicySources, ThresholdSource } from '#libs/domain';

/** A policy file as the domain asks for it, without the operators' levels: deadlines do not depend on those. */
export function policiesOf(file: PolicyFile): PolicySource {
  return {
    version: file.version,
    policyFor({ namespace, queue }, kind) {
      const { policy, origins } = resolvePolicy(file, { namespace, queue, ...(kind !== null && { kind }) });
      return { policy, sources: sourcesOf(origins), levels: policy.levels };
    },
  };
}

const LAYER_SOURCE: Record<Origin['layer'], ThresholdSource> = {
  default: 'default',
  defaults: 'default',
  namespace: 'default',
  queue: 'queue',
  kind: 'kind',
};

function sourcesOf(origins: ReadonlyMap<string, Origin>): PolicySources {
  const sources: { -readonly [K in keyof PolicySources]: PolicySources[K] } = {};
  for (const setting of ['lease', 'stuckAfter', 'hardTimeout'] as const) {
    const origin = origins.get(setting);
    if (origin !== undefined) sources[setting] = LAYER_SOURCE[origin.layer];
  }
  return sources;
}

/** A string: the file cannot be read. */
export async function readPolicyFile(path: string): Promise<Result<PolicyFile> | string> {
  try {
    return parsePolicy(await readFile(path, 'utf8'), path);
  } catch (error) {
    return `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}
