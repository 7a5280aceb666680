import { setTimeout as delay } from 'node:timers/promises';
import { noAnswer, type Answer, type ServiceClient } from '../rest/client.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { printable } from '../terminal/table.js';
import type { Context } from '../terminal/terminal.js';

/** How often a policy that is being edited is asked for, ms. The service itself reads the file every two seconds. */
const ASK_EVERY_MS = 1_000;

/** A tap cannot go on: what the command ends with. */
export class ObserveStopped extends Error {
  constructor(readonly exit: ExitCode) {
    super('stopped');
  }
}

export interface OwnerCheck {
  readonly client: ServiceClient;
  readonly context: Context;
  readonly namespace: string | undefined;
  /** As people call it. */
  readonly library: string;
  /** Do not wait until the policy is changed. */
  readonly once: boolean;
  readonly anyOwner: boolean;
}

/**
 * A queue that nobody but its own library recovers has to say `owner: queue`, before its first event: then the attempts
 * that the library begins are believed, which otherwise would contradict what Jobwarden has granted, and it is given the
 * time to recover by itself. Waits until the policy file says so.
 */
export async function awaitOwner(queue: string, { client, context, namespace, library, once, anyOwner }: OwnerCheck): Promise<void> {
  const { terminal, signal } = context;
  const hasEnded = (): boolean => signal.aborted;
  for (let told = false; !hasEnded(); ) {
    const answer = await client.get('v1/policies', { queue, namespace });
    if (answer.kind !== 'ok') {
      if (hasEnded()) return;
      throw new ObserveStopped(noAnswer(context, answer));
    }
    const faults = faultsOf(answer, queue, library);
    if (faults.length === 0) {
      if (told) terminal.err(printable(`Queue ${queue}: the policy says owner: queue now.`));
      return;
    }
    if (!told) for (const line of faults) terminal.err(line);
    if (anyOwner) return;
    if (once) throw new ObserveStopped(EXIT.refused);
    if (!told) terminal.err('Waiting for it; the file is read again within two seconds. --any-owner goes on as it is.');
    told = true;
    await delay(ASK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** The part of a policy that is looked at: of the queue as a whole, and of its kinds. */
interface Policies {
  readonly items: readonly { readonly kind: string | null; readonly values: Readonly<Record<string, { readonly value: unknown }>> }[];
}

/** Lines for the terminal; none: it is as it should be. */
export function faultsOf({ body }: Pick<Extract<Answer, { kind: 'ok' }>, 'body'>, queue: string, library: string): string[] {
  const { items } = body as Policies;
  const says = (setting: string, value: string) => items.some(({ values }) => values[setting]?.value === value);
  const owned = says('owner', 'jobwarden');
  const claimed = says('claims', 'required');
  if (!owned && !claimed) return [];
  const name = /^[\w-]+$/u.test(queue) ? queue : JSON.stringify(queue);
  const about = [
    ...(owned ? [`owner: jobwarden, but ${library} itself retries its jobs`] : []),
    ...(claimed ? [`claims: required, but no worker of a queue that is only watched claims its jobs`] : []),
  ];
  return [
    printable(`Queue ${queue}: the policy says ${about.join(', and ')}. Say in the policy file:`),
    '',
    'queues:',
    printable(`  ${name}: {owner: queue${claimed ? ', claims: off' : ''}}`),
    '',
  ];
}
