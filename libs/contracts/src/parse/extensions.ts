import type { Limits } from '../limits.js';
import { setOwn, type JsonObject } from '../json.js';
import { envelopeFields } from '../schemas/envelope.js';
import { canonicalJson } from './canonical.js';
import { tooLarge, unstorable, type Fault } from './fault.js';
import { isSuspicious, storableFault } from './storable.js';

const KNOWN: ReadonlySet<string> = new Set([...Object.keys(envelopeFields), 'data']);

/** Extension attributes that the contract does not know: kept beside the event. undefined: there are none. */
export function extensionsOf(event: JsonObject): JsonObject | undefined {
  let extensions: JsonObject | undefined;
  for (const key of Object.keys(event)) {
    if (KNOWN.has(key)) continue;
    extensions ??= {};
    setOwn(extensions, key, event[key]);
  }
  return extensions;
}

/** They are stored as well, so the same holds for them as for `data`. */
export function extensionsFault(extensions: JsonObject, limits: Limits): Fault | undefined {
  const canonical = canonicalJson(extensions, limits.nesting);
  if ('fault' in canonical) {
    return canonical.fault === 'too_deep'
      ? tooLarge('an extension attribute', 'nests deeper', 'nesting', limits.nesting, 'flatten it, or raise the limit')
      : unstorable('an extension attribute', 'a number beyond ±1.8e308');
  }
  return isSuspicious(canonical.text) ? storableFault(extensions, 'the event') : undefined;
}
