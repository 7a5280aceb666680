import type { Published } from './topic-reader.js';

/** Of a requeue with keys: the invalidation is in its topic before the command is in its own. */
export function commandsBeforeInvalidations(
  commands: readonly Published[],
  invalidations: readonly Published[],
): string[] {
  const appended = new Map<string, number>();
  for (const { message, atMs } of invalidations) {
    const { position } = message.data;
    if (position === undefined) continue;
    const key = `${String(position.shard)}/${String(position.number)}`;
    appended.set(key, Math.min(atMs, appended.get(key) ?? Infinity));
  }
  return commands.flatMap(({ message, atMs }) => {
    const { invalidation } = message.data;
    if (invalidation === undefined) return [];
    const key = `${String(invalidation.shard)}/${String(invalidation.number)}`;
    const before = appended.get(key);
    if (before === undefined) return [`the invalidation ${key} of command ${message.id} is not in its topic`];
    return before <= atMs ? [] : [`command ${message.id} was there ${String(before - atMs)} ms before its invalidation`];
  });
}

/** Per job the order of the log, once repeats of one id are taken out. */
export function outOfOrder(commands: readonly Published[]): string[] {
  const seen = new Set<string>();
  const last = new Map<string, number>();
  return commands.flatMap(({ message }) => {
    if (seen.has(message.id)) return [];
    seen.add(message.id);
    if (message.type !== 'jobwarden.command.enqueue.v1') return [];
    const key = `${message.data.queue}/${message.subject}`;
    const before = last.get(key) ?? 0;
    last.set(key, message.data.attempt);
    return message.data.attempt >= before ? [] : [`attempt ${String(message.data.attempt)} of ${key} came after ${String(before)}`];
  });
}

export function requeuesWithKeys(commands: readonly Published[]): number {
  return commands.filter(({ message }) => message.data.invalidation !== undefined).length;
}
