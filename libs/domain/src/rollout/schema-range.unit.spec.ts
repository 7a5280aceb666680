import { describe, expect, it } from 'vitest';
import { schemaFits } from './schema-range.js';

describe('a range of schema versions', () => {
  it.each([
    ['<=38', '38', 'fits'],
    ['<=38', '39', 'outside'],
    ['<38', '38', 'outside'],
    ['>= 30 < 40', '39', 'fits'],
    ['>=30, <40', '40', 'outside'],
    ['38', '38.0', 'fits'],
    ['=38', '39', 'outside'],
    ['<=2.9', '2.10', 'outside'],
    ['<=20260115093000', '20260115093001', 'outside'],
    ['<=900719925474099301', '900719925474099302', 'outside'],
  ])('%s and %s: %s', (range, version, fit) => {
    expect(schemaFits(range, version)).toBe(fit);
  });

  it.each([
    ['', '38'],
    ['latest', '38'],
    ['~38', '38'],
    ['<=38 or so', '38'],
    ['<=38', ''],
    ['<=38', 'v38'],
    ['>30 <', '38'],
  ])('"%s" with "%s" cannot be read, which is no fit', (range, version) => {
    expect(schemaFits(range, version)).toBe('unreadable');
  });
});
