import type { RunStore } from '../ports/run-store.port.js';
import type { Driven, DriveRun } from './drive-run.js';
import type { OpenRuns } from './open-runs.js';

export interface SagaControllerParts {
  readonly runs: Pick<RunStore, 'alone' | 'toDrive' | 'nowMs'>;
  readonly open: Pick<OpenRuns, 'step'>;
  readonly driver: Pick<DriveRun, 'drive'>;
  /** One run could not be driven; the others go on. Must not throw. */
  readonly failed: (incidentId: string, error: unknown) => void;
}

/**
 * The rollback controller, in every replica of the role `work`: signals become incidents, and incidents are driven to their
 * end. Each by one replica at a time; which one does not matter, since nothing but the incident's steps says where it stands.
 */
export class SagaController {
  /** When each run is to be looked at again, as long as nobody adds a step to it. */
  private readonly due = new Map<string, Driven>();

  constructor(private readonly parts: SagaControllerParts) {}

  /** Answers whether there is more to do at once. */
  async step(): Promise<boolean> {
    const { runs, open } = this.parts;
    await runs.alone('signals', () => open.step());
    const toDrive = await runs.toDrive();
    const nowMs = await runs.nowMs();
    const there = new Set(toDrive.map(({ id }) => id));
    for (const id of this.due.keys()) if (!there.has(id)) this.due.delete(id);
    let more = false;
    for (const { id, n } of toDrive) {
      const due = this.due.get(id);
      if (due?.n === n && nowMs < due.untilMs) continue;
      more = (await this.driveOne(id)) || more;
    }
    return more;
  }

  private async driveOne(id: string): Promise<boolean> {
    try {
      const driven = await this.parts.runs.alone(`run/${id}`, () => this.parts.driver.drive(id));
      // null: another replica has it.
      if (driven === null || driven.untilMs === 0) return driven !== null;
      this.due.set(id, driven);
    } catch (error) {
      this.parts.failed(id, error);
    }
    return false;
  }
}
