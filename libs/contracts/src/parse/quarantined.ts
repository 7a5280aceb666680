import type { QuarantineReason } from '../vocabulary.js';
import type { ParseContext } from './context.js';
import type { EventText } from './event-text.js';
import { EVENT_TYPES } from './event-types.js';
import type { Unparsed } from './parsed-event.js';
import { unparsed } from './unparsed.js';

/**
 * An event that could be read, and that the log would not take all the same (`id_reused`, `too_old`, `unstorable`):
 * as quarantine keeps it, redacted. `text`: what it was read from.
 */
export function quarantined(
  input: unknown,
  context: ParseContext,
  fault: { readonly reason: QuarantineReason; readonly detail: string },
  text?: EventText,
): Unparsed {
  const type = EVENT_TYPES.get((input as { type?: unknown } | null | undefined)?.type as string);
  return unparsed(input, type, { context, text, found: fault });
}
