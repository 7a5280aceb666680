import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DAYS_KEPT, PEAK, sizeOf, strayed, type JobCost, type Measured } from './formula.js';
import { mostConnections } from '../../apps/server/src/wiring/databases.js';
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

it('the connections of a process are what docs/operations.md says', () => {
  const operations = readFileSync(join(root, 'docs/operations.md'), 'utf8');
  expect(operations).toContain(`up to ${String(mostConnections({ kafka: false }))} connections, ${String(mostConnections({ kafka: true }))} with Kafka`);
});

it('bytes that have grown since the page was made are named, and times are not', () => {
  const [first, ...others] = measured.profiles;
  if (first === undefined) throw new Error('nothing was measured');
  expect(strayed(measured, measured)).toEqual([]);
  const slower = { ...first, serviceMicros: first.serviceMicros * 10, logBytes: first.logBytes * 1.1 };
  expect(strayed({ ...measured, profiles: [slower, ...others] }, measured)).toEqual([]);
  const larger = { ...measured, profiles: [{ ...first, walBytes: first.walBytes * 1.5 }, ...others] };
  expect(strayed(larger, measured)).toEqual([expect.stringMatching(new RegExp(`^${first.name}: walBytes \\d+, and the page is made of \\d+$`, 'u'))]);
  expect(strayed({ ...measured, profiles: others }, measured)).toEqual([`${first.name}: not measured any more`]);
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
