import type { Client } from './client.js';

/** What Jobwarden's policy says of a queue, as far as it bears on who recovers its jobs. */
export interface RecoveryPolicy {
  /** `jobwarden`: Jobwarden retries and recovers. `queue`: only where the queue has not, or gave up. */
  readonly owner: 'jobwarden' | 'queue';
  readonly claims: 'off' | 'required';
  /** By action: `observe`, `approve` or `act`. */
  readonly levels: { readonly retry: string; readonly requeue: string };
}

/** Whether Jobwarden may put jobs of the queue back, or may after a person has said so. */
export function mayAct({ levels }: RecoveryPolicy): boolean {
  return levels.retry !== 'observe' || levels.requeue !== 'observe';
}

interface PolicyList {
  readonly items: readonly {
    readonly namespace: string | null;
    readonly queue: string | null;
    readonly kind: string | null;
    readonly values: Readonly<Record<string, { readonly value: unknown }>>;
  }[];
}

/** @throws UnreachableError, RefusedCallError (a token that may not read). */
export async function recoveryPolicy(client: Client, queue: string): Promise<RecoveryPolicy> {
  const query = new URLSearchParams({ queue, namespace: client.namespace });
  const { items } = (await client.call('GET', `/v1/policies?${query.toString()}`)) as PolicyList;
  const ofQueue = items.filter((item) => item.queue === queue && item.kind === null);
  const named = ofQueue.find((item) => item.namespace === client.namespace) ?? ofQueue[0];
  const value = (setting: string): unknown => named?.values[setting]?.value;
  const level = (setting: string): string => {
    const said = value(setting);
    return typeof said === 'string' ? said : 'observe';
  };
  return {
    owner: value('owner') === 'queue' ? 'queue' : 'jobwarden',
    claims: value('claims') === 'required' ? 'required' : 'off',
    levels: { retry: level('actions.retry'), requeue: level('actions.requeue') },
  };
}
