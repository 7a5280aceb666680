// One control plane for a whole test run. Spec files share it under namespaces of their own.
import type { TestProject } from 'vitest/node';
import { startControlPlane } from './control-plane.js';
import { kubernetesMissing } from './missing.js';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const missing = kubernetesMissing();
  if (missing !== null) {
    if (process.env['CI'] === 'true') throw new Error(missing);
    project.vitest.logger.log(`${missing}\n`);
    return () => Promise.resolve();
  }
  const plane = await startControlPlane((line) => project.vitest.logger.log(line));
  const { server, ca, adminToken, kubectl, apiserver, controllerManagerPid, apiserverPid } = plane;
  project.provide('kubernetes', { server, ca, adminToken, kubectl, apiserver, controllerManagerPid, apiserverPid });
  return () => plane.stop();
}

declare module 'vitest' {
  interface ProvidedContext {
    kubernetes: {
      readonly server: string;
      /** PEM. */
      readonly ca: string;
      readonly adminToken: string;
      readonly kubectl: string;
      readonly apiserver: readonly string[];
      readonly controllerManagerPid: number;
      readonly apiserverPid: number;
    };
  }
}
