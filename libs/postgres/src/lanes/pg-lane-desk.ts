import type { Lane, LaneDesk } from '#libs/application';
import type { Database } from '../database.js';

/** Whoever reads the lane meanwhile finds its position gone with the next move. */
const SEEK = `UPDATE jobwarden.lanes SET next = $2, origin = $3, stopped = NULL, sought = true WHERE lane = $1 AND lane >= 2`;
const HOLD = `UPDATE jobwarden.lanes SET holds = $2 WHERE lane = $1 AND lane >= 2`;

export class PgLaneDesk implements LaneDesk {
  constructor(private readonly database: Database) {}

  async seek(lane: Lane, { next, origin }: { readonly next: number; readonly origin: string }): Promise<void> {
    await this.database.query(SEEK, [lane, next, origin]);
  }

  async hold(lane: Lane, holds: boolean): Promise<void> {
    await this.database.query(HOLD, [lane, holds]);
  }
}
