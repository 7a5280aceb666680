import { mayAct, recoveryPolicy, RefusedCallError, UnreachableError, type Client, type Logger, type RecoveryPolicy } from '@jobwarden/client';
import type { OnQueue } from '../redis.js';
import { conflictOf, OwnersError, type Owner } from './conflict.js';
import { nativeRecovery } from './native-settings.js';

export interface Checking {
  readonly client: Client;
  readonly owner: Owner;
  readonly logger: Logger;
}

/** Says at the start of whatever takes part in a queue whether two would recover it. */
export class OwnerCheck {
  constructor(private readonly checking: Checking) {}

  /**
   * BullMQ's settings, in the running code and in Redis, against the program's owner and Jobwarden's policy. Without an
   * answer of Jobwarden's only what is known here counts: workers go on while it is away.
   * @throws OwnersError naming both, and what to change.
   */
  async of(on: OnQueue): Promise<void> {
    const { owner, logger } = this.checking;
    const [native, policy] = await Promise.all([nativeRecovery(on), this.policyOf(on.name)]);
    const conflict = conflictOf(on.name, owner, native, policy);
    if (conflict !== null) throw new OwnersError(conflict);
    if (owner === 'jobwarden' && policy !== null && !mayAct(policy)) {
      logger.warn(
        `nobody puts back the jobs of "${on.name}" that a dead worker leaves behind: BullMQ's recovery is off (owner: 'jobwarden'), and Jobwarden only observes (actions: observe)`,
      );
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
