import { defaultServerConditions } from 'vite';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { kafkaMissing } from './libs/testing/src/kafka/missing.js';
import { browserMissing } from './test/browser/harness/missing.js';
import { kubernetesMissing } from './test/kubernetes/plane/missing.js';

// `source` makes `#libs/*` mean the TypeScript beside it, `@jobwarden/source` the packages of this repository. It has to stand under `ssr`: in `resolve` it
// has no effect, and the tests would quietly run against an old dist. A globalSetup has its own environment.
const conditions = ['source', '@jobwarden/source', ...defaultServerConditions];

const postgres = 'libs/testing/src/global-setup.ts';
const globalSetups = {
  unit: [],
  int: [postgres],
  alone: [postgres],
  kafka: [postgres, 'libs/testing/src/kafka/global-setup.ts'],
  e2e: [postgres],
  long: [postgres, 'libs/testing/src/kafka/global-setup.ts'],
  kubernetes: [postgres, 'test/kubernetes/plane/global-setup.ts'],
  browser: [postgres],
  deploy: [postgres, 'test/kubernetes/plane/global-setup.ts', 'test/deploy/global-setup.ts'],
};
/**
 * Files of these tiers share a worker's modules: evaluating the same ones anew took as long as the tests. So a spec leaves behind
 * nothing that another could see: no environment, no global, no listener of the process, and no mocked module (`alone` is for those).
 */
const shared: ReadonlySet<string> = new Set(['unit', 'int']);
/** What runs in place of the kafka tier on a machine without Java. */
const leftOut = 'libs/testing/src/kafka/left-out.spec.ts';

/** What runs of a tier: its specs, or what stands in for them where something is missing that npm cannot bring. */
function specsOf(name: keyof typeof globalSetups): string {
  if ((name === 'kafka' || name === 'long') && kafkaMissing() !== null) return leftOut;
  if (name === 'kubernetes' && kubernetesMissing() !== null) return 'test/kubernetes/plane/left-out.spec.ts';
  // A continuous build may leave nothing out: there the specs fail.
  if (name === 'browser' && browserMissing() !== null && process.env['CI'] !== 'true') return 'test/browser/harness/left-out.spec.ts';
  if (name === 'deploy' && kubernetesMissing() !== null) return 'test/deploy/left-out.spec.ts';
  return `{apps,libs,packages,migrations,test,examples}/**/*.${name}.spec.ts`;
}

/**
 * A tier is visible in the file name and decides what a spec may touch: `unit` no I/O, `int` a real
 * PostgreSQL, `alone` the same with modules of its own, `kafka` PostgreSQL and a real Kafka, `e2e` whole processes, `long` whole
 * processes for minutes (`npm run test:long`; `npm test` leaves them to the continuous build), `kubernetes` a real control
 * plane (`npm run test:kubernetes`), `browser` the dashboard in Chromium (`npm run test:browser`), `deploy` a control plane, Helm and the
 * readers of Docker's files (`npm run test:deploy`). Tiers run one after the other
 * (`groupOrder`; int, alone and kafka together), so that a busy unit tier cannot starve the ones that watch a clock.
 */
function tier(
  name: keyof typeof globalSetups,
  groupOrder: number,
  limits: { testTimeout: number; maxWorkers?: number },
): TestProjectInlineConfiguration {
  return {
    ssr: { resolve: { conditions } },
    environments: { __vitest__: { resolve: { conditions } } },
    oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
    test: {
      name,
      include: [specsOf(name)],
      exclude: ['**/node_modules/**', '**/dist/**'],
      sequence: { groupOrder },
      isolate: !shared.has(name),
      hookTimeout: 60_000,
      ...limits,
      globalSetup: globalSetups[name],
    },
  };
}

// A JSON report beside the usual output, for a caller that counts: same tests, same command.
const report = process.env['JOBWARDEN_TEST_REPORT'];

export default defineConfig({
  test: {
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
    // Retries hide races, and races are what this project is about.
    retry: 0,
    projects: [
      tier('unit', 0, { testTimeout: 20_000 }),
      tier('int', 1, { testTimeout: 60_000, maxWorkers: 2 }),
      tier('alone', 1, { testTimeout: 60_000, maxWorkers: 2 }),
      tier('kafka', 1, { testTimeout: 60_000, maxWorkers: 2 }),
      tier('e2e', 2, { testTimeout: 180_000, maxWorkers: 3 }),
      tier('long', 3, { testTimeout: 600_000, maxWorkers: 3 }),
      // One control plane, whose parts are halted by some of them.
      tier('kubernetes', 4, { testTimeout: 60_000, maxWorkers: 1 }),
      // The walk through the demo mostly waits for what the demo does; the others go on beside it, one after the other.
      tier('browser', 5, { testTimeout: 60_000, maxWorkers: 2 }),
      tier('deploy', 6, { testTimeout: 180_000, maxWorkers: 2 }),
    ],
  },
});
