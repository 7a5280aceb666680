import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '#libs/config';

const STARTER_POLICY = `# The policy of this Jobwarden: written at its first start, yours from now on. It is read again within two seconds
# after a change. A fault is shown in the log, and what was in force before stays. All settings: docs/configuration.md

defaults:
  actions: observe        # watch, and show what would have been done: GET /v1/verdicts

queues:
  # To play with, as the README does. The only queue on which something is done.
  playground:
    actions: act          # restart and requeue what is stuck
    idempotent: true      # a promise: running a job twice does no harm. Without it, act is refused
    heartbeats: expected
    lease: 5s             # a worker that is silent for so long is lost
    grace: 2s             # then it has so long to prove that it lives
`;

/**
 * Whoever starts the service for the first time has no policy file and could only watch. So the embedded default keeps
 * one beside its data: something to try, and a place to write one's own queues into. A deployment, with a database of
 * its own, gets no file that nobody asked for.
 */
export function withStarterPolicy(environment: Environment): Environment {
  if (environment.configFile !== null || environment.database.mode !== 'embedded') return environment;
  const file = starterFile(environment);
  if (!existsSync(file)) {
    mkdirSync(environment.dataDir, { recursive: true });
    writeFileSync(file, STARTER_POLICY);
  }
  return Object.freeze({ ...environment, configFile: file });
}

/** Is the policy file in force the one that the first start wrote (and whoever runs it may have edited since)? */
export function isStarterPolicy(environment: Environment): boolean {
  return environment.database.mode === 'embedded' && environment.configFile === starterFile(environment);
}

function starterFile({ dataDir }: Environment): string {
  return join(dataDir, 'policy.yaml');
}
