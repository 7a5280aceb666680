import fc from 'fast-check';
import type { JobEvent } from '../fold/fold.js';
import { walk } from '../exploration/world-walk.fixture.js';
import { SOUND, type Rules, type World } from '../exploration/world.fixture.js';

/** Worlds by chance: which rules they have, and which way their walk goes. */
export const rules: fc.Arbitrary<Rules> = fc
  .record({
    mode: fc.constantFrom<Rules['mode']>('observed', 'claims', 'owner'),
    maxRetries: fc.nat({ max: 2 }),
    queuedLate: fc.nat({ max: 4 }).map((n) => n === 0),
  })
  .map((r) => ({ ...SOUND, ...r }));

export const choices = fc.array(fc.nat({ max: 9_999 }), { minLength: 10, maxLength: 100, size: 'max' });

export const worlds: fc.Arbitrary<World> = fc.tuple(rules, choices).map(([r, steps]) => walk(r, steps));

/** Facts and numbered decisions as deciders made them, in the order of the log. */
export const histories: fc.Arbitrary<JobEvent[]> = worlds.map((world) => world.log);
