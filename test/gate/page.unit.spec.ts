import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Measured } from './report/measured.js';
import { withFigures } from './report/page.js';

const root = join(import.meta.dirname, '../..');
const measured = JSON.parse(readFileSync(join(root, 'test/gate/measured.json'), 'utf8')) as Measured;
const page = readFileSync(join(root, 'docs/canary.md'), 'utf8');

describe('the page on the canary gate', () => {
  it('tells what the report has counted', () => {
    expect(withFigures(page, measured)).toBe(page);
  });

  it('would be another one of another run', () => {
    const [claim, ...claims] = measured.claims;
    const [told, ...others] = measured.told;
    if (claim === undefined || told === undefined) throw new Error('nothing was counted');
    const changes: readonly Partial<Measured>[] = [
      { claims: [{ ...claim, wrong: claim.wrong + 1 }, ...claims] },
      { told: [{ ...told, nine: (told.nine ?? 0) + 60 }, ...others] },
      { zWorse: measured.zWorse / 2 },
      { foretold: { ...measured.foretold, median: 1.9 } },
    ];
    for (const change of changes) expect(withFigures(page, { ...measured, ...change })).not.toBe(page);
  });

  it('is refused where it has no place for them', () => {
    expect(() => withFigures('# Canary gate', measured)).toThrow('no place for Promises');
  });

  it('promises nothing that was missed', () => {
    for (const { says, bound, most } of measured.claims) expect([says, bound <= most]).toEqual([says, true]);
    const { median, least, most } = measured.foretold;
    expect(median).toBeGreaterThanOrEqual(least);
    expect(median).toBeLessThanOrEqual(most);
  });
});
