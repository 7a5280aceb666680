import { TerminalError } from '../ports/errors.js';
import type { LaneMove } from '../ports/lane-store.port.js';
import type { Lane, LogStore } from '../ports/log-store.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import { accessesOf, type FactItem, type FactOutcome } from './fact-item.js';
import { foldFacts } from './fold-facts.js';

export interface MovedFacts {
  readonly outcomes: readonly FactOutcome[];
  /** The lane was moved on with them. Not where something of them is still to be kept in quarantine. */
  readonly moved: boolean;
}

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
    return await this.bisected(items, async (part) => (await this.once(part, this.lane)).outcomes);
  }

  /**
   * The same for what came by a lane that is read by position. The lane moves in the transaction that appends, unless
   * something has to be kept elsewhere first: then the lane's position is only checked, and the caller moves it on.
   */
  async appendMoving(items: readonly FactItem[], move: LaneMove): Promise<MovedFacts> {
    try {
      return await this.once(items, move.lane, move);
    } catch (error) {
      if (!isUnstorable(error)) throw error;
      const staying = stayingAt(move);
      const append = async (part: readonly FactItem[]) => (await this.once(part, move.lane, staying)).outcomes;
      return { outcomes: await this.bisected(items, append), moved: false };
    }
  }

  private async once(items: readonly FactItem[], lane: Lane, move?: LaneMove): Promise<MovedFacts> {
    return await this.log.transact(
      { jobs: accessesOf(items), lane, locked: 'wait', missing: 'insert', lockLeases: false },
      (locked) => {
        const { writes, result, quarantines } = foldFacts(items, locked, this.policies);
        const moved = move !== undefined && move.next !== move.seen && !quarantines;
        const set = { writes, result: (positions: Parameters<typeof result>[0]) => ({ outcomes: result(positions), moved }) };
        return move === undefined ? set : { ...set, move: moved ? move : stayingAt(move) };
      },
    );
  }

  private async bisected(
    items: readonly FactItem[],
    append: (items: readonly FactItem[]) => Promise<readonly FactOutcome[]>,
  ): Promise<readonly FactOutcome[]> {
    try {
      return await append(items);
    } catch (error) {
      if (!isUnstorable(error)) throw error;
      if (items.length === 1) return [{ outcome: 'quarantined', code: 'unstorable', detail: error.message }];
      const middle = Math.ceil(items.length / 2);
      const [left, right] = [items.slice(0, middle), items.slice(middle)];
      return [...(await this.bisected(left, append)), ...(await this.bisected(right, append))];
    }
  }
}

/** Only the check that the lane is still ours. */
export function stayingAt({ lane, seen }: LaneMove): LaneMove {
  return { lane, seen, next: seen, readMs: 0, gapEndMs: 0 };
}

function isUnstorable(error: unknown): error is TerminalError {
  return error instanceof TerminalError && error.code === 'unstorable';
}
