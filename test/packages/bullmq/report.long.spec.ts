import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { redisLeftOut, startProcess } from '#libs/testing';

const entry = join(import.meta.dirname, '../../../dist/test/packages/bullmq/report/main.js');

describe.skipIf(redisLeftOut())('npm run report:bullmq', () => {
  it('misses no count, with leases, locks and stall checks divided by twenty, and ten kills', async () => {
    const report = startProcess({ entry, args: ['--small'] });
    try {
      const { code } = await report.exited;
      expect(report.output()).toContain('Every count is as wanted.');
      expect(code).toBe(0);
    } finally {
      await report.kill();
    }
  });
});
