import { field, type FieldTable } from './fields.js';
import type { PolicySettings } from './policy-settings.js';
import { DAY_MS } from './quantities.js';
import { duration, integer, number, orWord } from './readers.js';

/** When a canary is healthy. */
export const GATE_FIELDS = {
  'gate.alpha': field(
    0.05,
    number({ min: 0.000_1, max: 0.5, open: false }),
    'Chance that a canary as good as stable is called unhealthy over a whole rollout, however often one looks ([canary gate](canary.md)).',
  ),
  'gate.margin': field(
    0.02,
    number({ min: 0.001, max: 0.5, open: false }),
    'Share by which a canary may fail more often than stable and be healthy: 0.02 is two in a hundred.',
  ),
  'gate.runTimeFactor': field(
    1.5,
    orWord('off', null, number({ min: 1.5, max: 100, open: false })),
    'A canary that takes less than so many times as long as stable is healthy. `off`: run times are not judged.',
  ),
  'gate.minSample': field(20, integer({ min: 1, max: 1_000_000 }), 'Before so many attempts of canary and of stable have ended, nothing is said of them.'),
  'gate.window': field('1h', duration({ min: 60_000, max: DAY_MS }), 'How far the gate looks back, at most to when the canary was first heard of. Above 1h it looks in stretches of 5m.'),
} satisfies Partial<FieldTable<PolicySettings>>;
