import { hash } from 'node:crypto';
import type { IncidentIdentity, JobRef } from '#libs/domain';

/**
 * Keys of the log's indexes. They are written into every row and say which shard a job lives in: how they are made
 * must never change.
 */

const KEY_HEX = 32;

/**
 * Key of a job: SHA-256 of the length-prefixed parts, cut to 16 bytes. Lengths are of UTF-8 in ASCII decimal, so
 * ("a", "bc") and ("ab", "c") differ. Parts must be well-formed: {@link parseEvent} refuses lone surrogates, which
 * UTF-8 could not tell apart.
 */
export function jobKey(ref: JobRef): Buffer {
  return Buffer.from(jobKeyHex(ref), 'hex');
}

/** {@link jobKey} as hex: how it goes by in memory. Asked for directly, it takes half the time. */
export function jobKeyHex(ref: JobRef): string {
  return cutHex(prefixed(ref.namespace) + prefixed(ref.queue) + prefixed(ref.id));
}

/** Key of an event within its job, by CloudEvents `source` and `id`; made like {@link jobKey}. */
export function eventKey(source: string, id: string): Buffer {
  return Buffer.from(eventKeyHex(source, id), 'hex');
}

export function eventKeyHex(source: string, id: string): string {
  return cutHex(prefixed(source) + prefixed(id));
}

/**
 * Key of what an incident is about: all incidents of one identity live in one shard, in the order in which they came.
 * Of five parts, so it is no job's key.
 */
export function incidentKey({ kind, subject, queue }: IncidentIdentity): Buffer {
  const scope = prefixed(queue?.namespace ?? '') + prefixed(queue?.queue ?? '');
  return Buffer.from(cutHex(prefixed('incident') + prefixed(kind) + scope + prefixed(subject)), 'hex');
}

/**
 * Key of one incident's messages, where a job's messages have their job's: what is in order, and what waits behind what
 * cannot be delivered. Of two parts, so it is no job's key.
 */
export function incidentMessagesKey(incidentId: string): Buffer {
  return Buffer.from(cutHex(prefixed('incident') + prefixed(incidentId)), 'hex');
}

/** Key of a pattern of dead letters, by its fingerprint text; as hex. */
export function patternKeyHex(fingerprintText: string): string {
  return cutHex(prefixed('pattern') + prefixed(fingerprintText));
}

/** Key of a signal, as hex: who tells of it, its fingerprint there, and when it began, in ms or as it was written. */
export function signalKeyHex(source: string, fingerprint: string, start: string): string {
  return cutHex(prefixed('signal') + prefixed(source) + prefixed(fingerprint) + prefixed(start));
}

/** Shard of a job or an incident, 0 ≤ shard < `shards`, by the first four bytes of its key. */
export function shardOf(key: Uint8Array, shards: number): number {
  const head = ((key[0] ?? 0) << 24) | ((key[1] ?? 0) << 16) | ((key[2] ?? 0) << 8) | (key[3] ?? 0);
  return (head >>> 0) % shards;
}

function prefixed(part: string): string {
  return `${String(Buffer.byteLength(part, 'utf8'))}:${part}`;
}

function cutHex(text: string): string {
  return hash('sha256', text, 'hex').slice(0, KEY_HEX);
}
