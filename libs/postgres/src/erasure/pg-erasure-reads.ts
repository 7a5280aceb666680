import type { Erasable, ErasureReads } from '#libs/application';
import { jobKey } from '#libs/contracts';
import type { JobRef } from '#libs/domain';
import type { Queryable } from '../database.js';
import { commandsLeft, entriesLeft } from './erase-job.js';
import { COUNT } from './statements.js';

export class PgErasureReads implements ErasureReads {
  constructor(private readonly database: Queryable) {}

  async find(ref: JobRef): Promise<Erasable> {
    const key = jobKey(ref);
    const [counts] = await this.database.query<Pick<Erasable, 'bodies' | 'progress'>>(COUNT, [key]);
    const { bodies = 0, progress = 0 } = counts ?? {};
    const commands = await commandsLeft(this.database, key);
    const entries = await entriesLeft(this.database, key, ref);
    return { bodies, commands: commands.length, progress, quarantined: entries.length };
  }
}
