import { REPLICA_DEAD_AFTER_MS, type FoldStanding, type FoldSwitch, type FoldVersionStore, type VersionedReplica } from '#libs/application';
import { NEWEST_FOLD_VERSION, OLDEST_FOLD_VERSION, unknownFold } from '#libs/domain';
import type { Database, Queryable } from '../database.js';

const IN_FORCE = 'SELECT fold_version FROM jobwarden.installation';

const LIVE = `
SELECT replica_id::text AS "replicaId", name, roles, fold_version AS newest FROM jobwarden.replicas
WHERE beat_at > clock_timestamp() - make_interval(secs => $1::float8 / 1000) ORDER BY name, replica_id`;

const ROWS = `
SELECT fold_version AS "foldVersion", count(*) AS count FROM jobwarden.jobs WHERE row_version > 0
GROUP BY fold_version ORDER BY fold_version`;

const SWITCH = 'UPDATE jobwarden.installation SET fold_version = $1';

/**
 * A replica that is paused while the switch is made, and so does not count as live, writes nothing when it goes on: each
 * of its transactions begins by asking for the version in force.
 */
export class PgFoldVersionStore implements FoldVersionStore {
  constructor(private readonly database: Database) {}

  async read(): Promise<FoldStanding> {
    return {
      inForce: await inForce(this.database, IN_FORCE),
      knows: { oldest: OLDEST_FOLD_VERSION, newest: NEWEST_FOLD_VERSION },
      replicas: await this.database.query<VersionedReplica>(LIVE, [REPLICA_DEAD_AFTER_MS]),
      rows: await this.database.query<{ foldVersion: number; count: number }>(ROWS),
    };
  }

  async switchTo(version: number): Promise<FoldSwitch> {
    return await this.database.transaction(async (tx) => {
      const from = await inForce(tx, `${IN_FORCE} FOR UPDATE`);
      if (version === from) return { kind: 'unchanged', inForce: from };
      if (version < from) {
        const detail = `version ${String(from)} is in force, and rows are stored in it: there is no way back to ${String(version)}`;
        return { kind: 'refused', code: 'fold_version_lower', detail, replicas: [] };
      }
      if (version > NEWEST_FOLD_VERSION) {
        return { kind: 'refused', code: 'fold_version_unknown', detail: unknownFold('rows would be', version), replicas: [] };
      }
      const live = await tx.query<VersionedReplica>(LIVE, [REPLICA_DEAD_AFTER_MS]);
      const behind = live.filter((r) => r.newest < version);
      if (behind.length > 0) return { kind: 'refused', code: 'replicas_behind', detail: standInTheWay(behind, version), replicas: behind };
      await tx.query(SWITCH, [version]);
      return { kind: 'switched', from, to: version };
    });
  }
}

function standInTheWay(behind: readonly VersionedReplica[], version: number): string {
  const names = behind.map((r) => `${r.name === '' ? r.replicaId : r.name} (up to ${String(r.newest)})`);
  const [are, them] = behind.length === 1 ? ['one live replica cannot', 'it'] : [`${String(behind.length)} live replicas cannot`, 'them'];
  return `${are} write version ${String(version)}, end ${them} first: ${names.join(', ')}`;
}

async function inForce(db: Queryable, text: string): Promise<number> {
  const [row] = await db.query<{ fold_version: number }>(text);
  if (row === undefined) throw new Error('the installation row is missing: run the migrations');
  return row.fold_version;
}
