import { describe, expect, it } from 'vitest';
import { runVersions } from './run.js';

/** A first look; `npm run soak:versions` takes ten minutes. */
describe('two releases of the service side by side', { timeout: 300_000 }, () => {
  it('fold, decide, publish and audit the same jobs; then the old one ends, and all rows move', async () => {
    const report = await runVersions({ mixedMs: 10_000, jobsPerSecond: 20, print: () => undefined });
    expect(report.findings).toEqual([]);
    expect(report.moved).toBeGreaterThan(100);
    expect(report.counted.lost).toBeGreaterThan(20);
  });

  it('are found out when the new one stores rows in its newest version at once', async () => {
    const report = await runVersions({ mixedMs: 4_000, jobsPerSecond: 20, next: 'newest-at-once', print: () => undefined });
    expect(report.findings.join('\n')).toMatch(/rows were stored in versions 1, 2|newer_rows/);
  });
});
