import type { PartitionSource } from '../ports/lane-desk.port.js';
import type { LaneRow, WorkerReads } from '../ports/read-models.port.js';

export interface LanesReadParts {
  readonly reads: Pick<WorkerReads, 'lanes'>;
  readonly source: PartitionSource;
}

export interface LanesReadOptions {
  /** Default 4 seconds: within the time that a request is given. */
  readonly withinMs?: number;
  /** Default 5. */
  readonly everyMs?: number;
}

/**
 * Waits until what lies in a broker's partitions has been read, with a manual clock: whoever moves it wants everything
 * sent before to have come before. Answers the lanes that were not in time, by name. Retired lanes do not count.
 */
export class LanesRead {
  private readonly withinMs: number;
  private readonly everyMs: number;

  constructor(
    private readonly parts: LanesReadParts,
    { withinMs = 4_000, everyMs = 5 }: LanesReadOptions = {},
  ) {
    this.withinMs = withinMs;
    this.everyMs = everyMs;
  }

  /** As far as the partitions go at the time of the call. @throws RetryableError when no broker can be asked. */
  async toTheirEnds(): Promise<readonly string[]> {
    const { source } = this.parts;
    const ends = (await source.look(source.topic)).filter(({ low, high }) => high > low);
    return await this.behind((lanes) => {
      const rows = new Map(lanes.map((row) => [row.name, row]));
      return ends.filter(({ name, high }) => isBehind(rows.get(name), high)).map(({ name }) => name);
    });
  }

  private async behind(of: (lanes: readonly LaneRow[]) => readonly string[]): Promise<readonly string[]> {
    const untilMs = performance.now() + this.withinMs;
    for (;;) {
      const names = of(await this.parts.reads.lanes());
      if (names.length === 0 || performance.now() >= untilMs) return names;
      await new Promise((resolve) => setTimeout(resolve, this.everyMs));
    }
  }
}

/** A partition that nobody has read of yet has no lane. */
function isBehind(row: LaneRow | undefined, high: number): boolean {
  return row === undefined || (row.holds && row.next < high);
}
