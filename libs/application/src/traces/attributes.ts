import type { JobRef } from '#libs/domain';

/** By OpenTelemetry's messaging conventions, where they have a name for it. */
export function jobAttributes({ namespace, queue, id }: JobRef): Readonly<Record<string, string>> {
  return { ...SYSTEM, 'messaging.destination.name': queue, 'messaging.message.id': id, 'jobwarden.namespace': namespace };
}

/** Of many jobs: their queue only where it is one. */
export function batchAttributes(refs: readonly Pick<JobRef, 'namespace' | 'queue'>[]): Readonly<Record<string, string | number>> {
  const [first] = refs;
  const one = first !== undefined && refs.every(({ namespace, queue }) => queue === first.queue && namespace === first.namespace);
  return {
    ...SYSTEM,
    'messaging.batch.message_count': refs.length,
    ...(one && { 'messaging.destination.name': first.queue, 'jobwarden.namespace': first.namespace }),
  };
}

const SYSTEM = { 'messaging.system': 'jobwarden' } as const;
