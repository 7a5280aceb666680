import type { Entry, Worth } from './buffer.js';
import { eventOf, keyOf, replacedBy, type EmitterIdentity, type Fact } from './fact.js';

const BEATS: ReadonlySet<Fact['type']> = new Set(['heartbeat', 'worker-heartbeat', 'queue-state', 'lease-renewal-failed']);
const STARTS: ReadonlySet<Fact['type']> = new Set(['claimed', 'started']);

/** As text at once, since its maker may change it. A string: why that cannot be done. */
export function entryOf(fact: Fact, identity: EmitterIdentity, settle: Entry['settle']): Entry | string {
  let text: string;
  const event = eventOf(fact, identity);
  try {
    text = JSON.stringify(event);
  } catch (error) {
    return `it is no JSON (${error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error)})`;
  }
  return {
    key: keyOf(fact, identity.namespace),
    text,
    id: event.id,
    type: event.type,
    bytes: Buffer.byteLength(text),
    worth: worthOf(fact),
    begins: STARTS.has(fact.type) && attemptOf(fact) === 1,
    replaces: replacedBy(fact, identity.namespace),
    settle,
  };
}

function worthOf({ type }: Fact): Worth {
  if (BEATS.has(type)) return 'beat';
  if (type === 'queued') return 'unheard';
  return STARTS.has(type) ? 'start' : 'fact';
}

function attemptOf({ data }: Fact): number {
  return (data as { readonly attempt?: number } | undefined)?.attempt ?? 1;
}
