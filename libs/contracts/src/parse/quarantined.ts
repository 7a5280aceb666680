import type { QuarantineReason } from '../vocabulary.js';
import type { ParseContext } from './context.js';
import { EVENT_TYPES } from './event-types.js';
import type { Unparsed } from './parsed-event.js';
import { unparsed } from './unparsed.js';

/**
 * An event that could be read, and that the log would not take all the same (`id_reused`, `too_old`, `unstorable`):
 * as quarantine keeps it, redacted.
 */
export function quarantined(
  input: unknown,
  context: ParseContext,
  fault: { readonly reason: QuarantineReason; readonly detail: string },
): Unparsed {
  const type = EVENT_TYPES.get((input as { type?: unknown } | null | undefined)?.type as string);
  return unparsed(input, type, context, fault);
}
