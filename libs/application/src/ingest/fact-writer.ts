import { TerminalError } from '../ports/errors.js';
import type { Lane, LogStore } from '../ports/log-store.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import { accessesOf, type FactItem, type FactOutcome } from './fact-item.js';
import { foldFacts } from './fold-facts.js';

/**
 * Appends facts in one transaction. A batch that fails for its data is bisected: the good half is stored, and the one
 * event that cannot be stored is named, so that one poisonous event never holds up its neighbours.
 */
export class FactWriter {
  constructor(
    private readonly log: LogStore,
    private readonly policies: PolicySource,
    private readonly lane: Lane,
  ) {}

  async append(items: readonly FactItem[]): Promise<readonly FactOutcome[]> {
    try {
      return await this.log.transact(
        { jobs: accessesOf(items), lane: this.lane, locked: 'wait', missing: 'insert', lockLeases: false },
        (locked) => foldFacts(items, locked, this.policies),
      );
    } catch (error) {
      if (!(error instanceof TerminalError) || error.code !== 'unstorable') throw error;
      if (items.length === 1) return [{ outcome: 'quarantined', code: 'unstorable', detail: error.message }];
      const middle = Math.ceil(items.length / 2);
      return [...(await this.append(items.slice(0, middle))), ...(await this.append(items.slice(middle)))];
    }
  }
}
