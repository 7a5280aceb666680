import { mayAct, recoveryPolicy, RefusedCallError, UnreachableError, type Client, type Logger, type RecoveryPolicy } from '@jobwarden/client';
import { conflictOf, OwnersError, type Owner } from './conflict.js';

export interface Checking {
  readonly client: Client;
  readonly owner: Owner;
  readonly logger: Logger;
}

/** Says before the first record of a topic whether two would recover it. Each topic once, or until it is one. */
export class OwnerCheck {
  private readonly checked = new Map<string, Promise<void>>();

  constructor(private readonly checking: Checking) {}

  /**
   * Without an answer of Jobwarden's nothing is compared: consumers go on while it is away.
   * @throws OwnersError naming both, and what to change.
   */
  async of(queue: string): Promise<void> {
    const check = this.checked.get(queue) ?? this.ask(queue);
    this.checked.set(queue, check);
    try {
      await check;
    } catch (error) {
      this.checked.delete(queue);
      throw error;
    }
  }

  private async ask(queue: string): Promise<void> {
    const { owner, logger } = this.checking;
    const policy = await this.policyOf(queue);
    const conflict = conflictOf(queue, owner, policy);
    if (conflict !== null) throw new OwnersError(conflict);
    if (owner === 'jobwarden' && policy !== null && !mayAct(policy)) {
      logger.warn(`Jobwarden only observes "${queue}" (actions: observe), so its failed records hold up their partitions until they are tried again in their place`);
    }
  }

  private async policyOf(queue: string): Promise<RecoveryPolicy | null> {
    try {
      return await recoveryPolicy(this.checking.client, queue);
    } catch (error) {
      if (!(error instanceof UnreachableError) && !(error instanceof RefusedCallError)) throw error;
      this.checking.logger.warn(`who owns the recovery of "${queue}" was not compared with Jobwarden's policy: ${error.message}`);
      return null;
    }
  }
}
