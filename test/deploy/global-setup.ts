// Helm and the readers of Docker's files, and what the image is made of: once for a whole test run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { kubernetesMissing } from '../kubernetes/plane/missing.js';
import { assemble } from './image/assemble.js';
import { deployCheckers, type DeployCheckers } from './programs.js';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The control plane's own setup has said so.
  if (kubernetesMissing() !== null) return () => Promise.resolve();
  project.provide('deployCheckers', await deployCheckers({ tell: (line) => project.vitest.logger.log(line) }));
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-image-'));
  // Readable by everybody, as it is in an image; the temporary folder is not.
  const app = join(folder, 'app');
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    await assemble(app);
  } catch (error) {
    remove();
    throw error;
  }
  project.provide('assembledApp', app);
  return () => {
    remove();
    return Promise.resolve();
  };
}

declare module 'vitest' {
  interface ProvidedContext {
    deployCheckers: DeployCheckers;
    /** What the image has in `/app`. */
    assembledApp: string;
  }
}
