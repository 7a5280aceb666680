import { field, type FieldTable } from './fields.js';
import type { PolicySettings } from './policy-settings.js';
import { duration, textOrNone, yesOrNo } from './readers.js';

/** How long things hold, where commands go, and what a payload is. */
export const KEEPING_FIELDS = {
  retention: field('30d', duration({ min: 60_000 }), 'How long finished jobs are kept, from when they were first seen; and dead letters, from their death: then they are discarded.'),
  approvalFor: field(
    '15m',
    duration({ min: 1_000 }),
    'How long an approval holds: what is not decided by then, because something holds it, has to be approved again.',
  ),
  fallback: field(
    true,
    yesOrNo,
    'When an attempt that was given up at `act` shows that it lives, or ends by itself, the action falls back to `observe`.',
  ),
  fallbackQueue: field('none', textOrNone('the name of a queue'), 'Other workers for requeues: their commands go to those who read the commands of this queue; the job keeps its own. One hop; not while it is paused.'),
  schema: field(
    'none',
    textOrNone('the path of a JSON Schema file'),
    'JSON Schema of the payload: a file, by its path from this file’s folder. A payload that is patched by hand must fit it.',
  ),
} satisfies Partial<FieldTable<PolicySettings>>;
