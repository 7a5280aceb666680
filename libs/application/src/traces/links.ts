import type { TraceContext } from '#libs/contracts';
import { MOST_LINKS } from '../ports/traces.port.js';

/**
 * What a span of many jobs links to: each span once, the sampled ones only, and no more than {@link MOST_LINKS}. Empty: nobody
 * keeps a trace of any of them, so the span is not worth telling either.
 */
export function linksTo(contexts: Iterable<TraceContext | null>): readonly TraceContext[] {
  const found = new Map<string, TraceContext>();
  for (const context of contexts) {
    if (context === null || !context.sampled || found.has(context.spanId)) continue;
    found.set(context.spanId, context);
    if (found.size === MOST_LINKS) break;
  }
  return [...found.values()];
}
