import { describe, expect, it } from 'vitest';
import { atRoot, step, stepInto, type PathRule, type Place } from './paths.js';

const rule = (path: string): PathRule => ({ segments: path.split('.'), replaceWith: 'x' });

describe('places of path rules', () => {
  it.each(['data.**.secret', '**.a.**.b', '**.**.**.x', '*.*.*.x'])('of %s are no more than its segments, however deep arrays and objects nest', (path) => {
    const rules = [rule(path), rule('**.other')];
    const segments = rules.reduce((sum, { segments: of }) => sum + of.length, 0);
    let places: readonly Place[] = step(atRoot(rules), 'data').places;
    for (let depth = 0; depth < 12; depth += 1) {
      places = stepInto(step(places, 'a').places, depth).places;
      expect(places.length).toBeLessThanOrEqual(segments);
    }
  });

  it('end where one of several ways leads, also where the same place was come to before', () => {
    const through = [0, 0].reduce<readonly Place[]>((places, index) => stepInto(places, index).places, atRoot([rule('**.0.**')]));
    expect(step(through, 'a').hit).toBeDefined();
    expect(stepInto(atRoot([rule('0')]), 0).hit).toBeDefined();
  });
});
