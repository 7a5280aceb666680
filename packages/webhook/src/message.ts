import type { CloudEvent, EnqueueCommand, StopCommand } from '@jobwarden/client';

/** What a request brought. */
export type Message =
  | { readonly kind: 'enqueue'; readonly command: EnqueueCommand }
  | { readonly kind: 'stop'; readonly command: StopCommand }
  /** Dead letters and incidents, stuck jobs, and whatever a later version sends. */
  | { readonly kind: 'other'; readonly event: CloudEvent };

/** null: it is no event that Jobwarden sends. */
export function messageOf(value: unknown): Message | null {
  if (!isRecord(value) || value['specversion'] !== '1.0') return null;
  const { id, type, subject, data } = value;
  if (![id, type].every((text) => typeof text === 'string' && text !== '') || !isRecord(data)) return null;
  if (type !== 'jobwarden.command.enqueue.v1' && type !== 'jobwarden.command.stop.v1') return { kind: 'other', event: value as unknown as CloudEvent };
  const { queue, attempt, token } = data;
  if (typeof subject !== 'string' || typeof queue !== 'string' || !Number.isSafeInteger(attempt) || !Number.isSafeInteger(token)) return null;
  if (type === 'jobwarden.command.stop.v1') return { kind: 'stop', command: value as unknown as StopCommand };
  return { kind: 'enqueue', command: value as unknown as EnqueueCommand };
}

/**
 * What is the same of all copies. Of an enqueue command: its attempt, also where it is published once more. A stop may have to be
 * repeated for an attempt that began after it, so there it is the message.
 */
export function keyOf(message: Message): string {
  if (message.kind === 'other') return JSON.stringify([message.event.source, message.event.id]);
  const { namespace = 'default', subject, id, data } = message.command;
  const { queue, attempt, token } = data;
  return JSON.stringify([message.kind, namespace, queue, subject, attempt, token, ...(message.kind === 'stop' ? [id] : [])]);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
