import type { Invalidation, SourceItem } from '../invalidation.js';

/**
 * A `jobwarden.invalidation.v1`. One that cannot be read is a gap: whatever it says is not true any more, is not known
 * to be so here.
 */
export function itemOf(id: string, event: unknown): SourceItem {
  const invalidation = invalidationOf(event);
  return invalidation === null ? { kind: 'reset', id } : { kind: 'invalidation', id, invalidation };
}

function invalidationOf(event: unknown): Invalidation | null {
  const data = fieldOf(event, 'data');
  const [keys, tags, position] = [fieldOf(data, 'keys'), fieldOf(data, 'tags'), fieldOf(data, 'position')];
  const [shard, number] = [fieldOf(position, 'shard'), fieldOf(position, 'number')];
  if (!areTexts(keys) || !areTexts(tags) || typeof shard !== 'number' || typeof number !== 'number') return null;
  return { keys, tags, position: { shard, number } };
}

export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
