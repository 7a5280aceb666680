import { field, type FieldTable } from './fields.js';
import type { PolicySettings } from './policy-settings.js';
import { duration, integer, number, orWord } from './readers.js';

export const BUDGET_RATE = number({ min: 0, max: 1_000_000, open: true });
export const BUDGET_BURST = orWord('auto', null, integer({ min: 1, max: 10_000_000 }));

/** What keeps recovery from making it worse. */
export const GUARD_FIELDS = {
  'budget.perSecond': field(50, BUDGET_RATE, 'Requeues of this queue per second.', '1/s'),
  'budget.burst': field(
    'auto',
    BUDGET_BURST,
    'Requeues that may go out at once after a quiet time. `auto`: twice `perSecond`.',
  ),
  'blackout.minWorkers': field(5, integer({ min: 1, max: 1_000_000 }), 'So many workers lost at once, and …'),
  'blackout.share': field(
    0.3,
    number({ min: 0, max: 1, open: true }),
    '… more than this share of all: recovery is held, no attempts are spent. 1: never.',
  ),
  'blackout.holdMax': field('10m', duration(), 'The longest hold, where the lane is proved alive.'),
  'probing.share': field(
    0.8,
    number({ min: 0, max: 1, open: true }),
    'When more than this share of requeued attempts fails again, only probes go out until one succeeds. 1: never.',
  ),
  'probing.probes': field(3, integer({ min: 1, max: 1_000 }), 'So many probes at a time.'),
  'probing.every': field('30s', duration({ min: 1_000 }), 'How often probes go out.'),
} satisfies Partial<FieldTable<PolicySettings>>;
