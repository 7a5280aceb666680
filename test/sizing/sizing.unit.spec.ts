import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DAYS_KEPT, PEAK, sizeOf, type JobCost, type Measured } from './formula.js';
import { withTables } from './page.js';

const root = join(import.meta.dirname, '../..');
const measured = JSON.parse(readFileSync(join(root, 'test/sizing/measured.json'), 'utf8')) as Measured;
const page = readFileSync(join(root, 'docs/sizing.md'), 'utf8');

const COST: JobCost = { logBytes: 1_000, bodyBytes: 200, rowBytes: 700, otherBytes: 100, walBytes: 5_000, serviceMicros: 400, postgresMicros: 200 };
const IDLE: Measured = { machine: 'a machine', profiles: [], summaryBytes: 100, idleServiceCores: 0.05, idlePostgresCores: 0.02, serviceMiB: 300 };

describe('the page on sizing', () => {
  it('is made of what was measured, by the formula of the command', () => {
    expect(withTables(page, measured)).toBe(page);
  });

  it('would be another one of another measurement', () => {
    const [first, ...others] = measured.profiles;
    if (first === undefined) throw new Error('nothing was measured');
    expect(withTables(page, { ...measured, profiles: [{ ...first, logBytes: first.logBytes * 1.1 }, ...others] })).not.toBe(page);
    expect(withTables(page, { ...measured, serviceMiB: measured.serviceMiB * 1.1 })).not.toBe(page);
  });

  it('is refused where it has no place for them', () => {
    expect(() => withTables('# Sizing', measured)).toThrow('no generated part');
  });
});

describe('a size', () => {
  it('is bytes by the days that lie there, and processor time by the busiest hours', () => {
    const size = sizeOf(86_400_000, COST, IDLE);
    expect(size.diskBytes).toBe(86_400_000 * DAYS_KEPT * 2_000);
    expect(size.walBytesPerDay).toBe(86_400_000 * 5_000);
    // A thousand jobs a second on average.
    expect(size.serviceCores).toBeCloseTo(PEAK * 0.4 + size.processes * 0.05, 9);
    expect(size.postgresCores).toBeCloseTo(PEAK * 0.2 + size.processes * 0.02, 9);
    expect(size.processes).toBe(4);
    expect(size).toMatchObject({ memoryMiB: 1_200, connections: 112 });
  });

  it('has two processes where one would do', () => {
    expect(sizeOf(10_000, COST, IDLE)).toMatchObject({ processes: 2, connections: 56 });
  });
});
