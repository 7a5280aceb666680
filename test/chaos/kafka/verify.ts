import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Published, TopicReader } from './topic-reader.js';

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

/** What the database calls sent is in its topic; what has not come within a minute is a finding. */
export async function notInTheirTopic(
  client: pg.Client,
  kinds: readonly string[],
  reader: TopicReader,
): Promise<string[]> {
  const { rows } = await client.query<{ message: string }>(
    `SELECT message FROM jobwarden.outbound WHERE outcome = 'sent' AND kind = ANY ($1)`,
    [kinds],
  );
  const sent = rows.map((row) => (JSON.parse(row.message) as { id: string }).id);
  const deadline = Date.now() + 60_000;
  for (;;) {
    const there = new Set(reader.messages.map(({ id }) => id));
    const missing = sent.filter((id) => !there.has(id));
    if (missing.length === 0) return [];
    if (Date.now() > deadline) return missing.slice(0, 5).map((id) => `${id} was sent, and is not in its topic`);
    await delay(100);
  }
}
