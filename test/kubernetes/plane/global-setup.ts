// One control plane for a whole test run. Spec files share it under namespaces of their own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-audit-'));
  const audit = { file: join(folder, 'audit.log'), accountsOf: 'jobwarden' };
  const plane = await startControlPlane((line) => project.vitest.logger.log(line), { audit });
  const { server, ca, adminToken, kubectl, apiserver, controllerManagerPid, apiserverPid } = plane;
  const { file: auditFile, accountsOf } = audit;
  project.provide('kubernetes', { server, ca, adminToken, kubectl, apiserver, controllerManagerPid, apiserverPid, auditFile, accountsOf });
  return async () => {
    await plane.stop();
    rmSync(folder, { recursive: true, force: true });
  };
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
      /** What the service accounts of the namespace `accountsOf` do, as the first API server records it. */
      readonly auditFile: string;
      readonly accountsOf: string;
    };
  }
}
