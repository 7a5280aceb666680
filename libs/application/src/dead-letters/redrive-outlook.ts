import { stateFromJson } from '#libs/domain';
import { redriveRefusal } from '../operate/operator-drafts.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { RedriveFilter, RedriveStore } from '../ports/redrive-store.port.js';

export interface Outlook {
  /** Of how many it was found out. */
  readonly looked: number;
  /** Those that would be left where they are, by why. */
  readonly refusals: Readonly<Record<string, number>>;
}

/** A state is read whole; of a hundred thousand the first ones tell enough. */
const MOST = 500;

/** What a run of redrives would refuse if it began now. A word beforehand: each is decided again under its lock. */
export class RedriveOutlook {
  constructor(
    private readonly store: Pick<RedriveStore, 'ahead'>,
    private readonly policies: Pick<PolicySource, 'policyFor'>,
  ) {}

  async look(filter: RedriveFilter, force: boolean): Promise<Outlook> {
    const ahead = await this.store.ahead(filter, MOST);
    const refusals: Record<string, number> = {};
    for (const { kind, state } of ahead) {
      const { maxRedrives } = this.policies.policyFor(filter, kind).policy;
      const code = redriveRefusal(stateFromJson(state), { maxRedrives, force });
      if (code !== null) refusals[code] = (refusals[code] ?? 0) + 1;
    }
    return { looked: ahead.length, refusals };
  }
}
