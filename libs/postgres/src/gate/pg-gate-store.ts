import { createHash } from 'node:crypto';
import type { GateOverride, GateScope, GateStore, NewGateOverride, Page, PageOf, QueueName, RolloutName } from '#libs/application';
import type { Database } from '../database.js';
import { namesOf } from '../outcomes/pg-outcome-store.js';
import { Conditions, numberAfter, onePast, paged } from '../read/paging.js';
import * as sql from './statements.js';

interface OverrideRow {
  readonly override_id: number;
  readonly target: string | null;
  readonly namespace: string | null;
  readonly queue: string | null;
  readonly reason: string;
  readonly set_by: string;
  readonly set_ms: number;
  readonly until_ms: number;
}

export class PgGateStore implements GateStore {
  constructor(private readonly database: Database) {}

  async rolloutBegan({ namespace, name, scope, seenBy, checksum, anew }: RolloutName & { readonly checksum: string; readonly anew: boolean }): Promise<number> {
    const [row] = await this.database.query<{ began_ms: number }>(sql.ROLLOUT, [namespace, `${name} ${digestOf(scope, seenBy)}`, checksum, anew]);
    if (row === undefined) throw new Error('an upsert answered no row');
    return row.began_ms;
  }

  async override({ scope, reason, by, untilMs }: NewGateOverride): Promise<GateOverride> {
    const { namespace = null, queue = null } = scope.queue ?? {};
    const [row] = await this.database.query<OverrideRow>(sql.OVERRIDE, [scope.target, namespace, queue, reason, by, untilMs]);
    if (row === undefined) throw new Error('an insert answered no row');
    return overrideOf(row);
  }

  async standing(target: string | null, queues: readonly QueueName[]): Promise<GateOverride | null> {
    const [row] = await this.database.query<OverrideRow>(sql.STANDING, [...namesOf(queues), target]);
    return row === undefined ? null : overrideOf(row);
  }

  async overrides(namespaces: readonly string[] | 'all', page: Page): Promise<PageOf<GateOverride>> {
    const conditions = new Conditions()
      .add('namespace = ANY ($::text[])', namespaces === 'all' ? null : namespaces)
      .add('override_id < $', numberAfter(page));
    const limit = conditions.param(onePast(page));
    const rows = await this.database.query<OverrideRow>(`${sql.OVERRIDES} ${conditions.where} ORDER BY override_id DESC LIMIT ${limit}`, conditions.values);
    return paged(rows, page, (row) => String(row.override_id), overrideOf);
  }
}

/** No name of an object holds a space, so nothing else comes out the same. */
function digestOf({ target, queue }: GateScope, seenBy: readonly string[] | 'all'): string {
  const judged = queue === null ? [target, seenBy === 'all' ? seenBy : seenBy.toSorted()] : [queue.namespace, queue.queue];
  return createHash('sha256').update(JSON.stringify(judged)).digest('hex').slice(0, 32);
}

function overrideOf({ override_id, target, namespace, queue, reason, set_by: by, set_ms: setMs, until_ms: untilMs }: OverrideRow): GateOverride {
  const decided = { id: String(override_id), reason, by, setMs, untilMs };
  if (target !== null) return { ...decided, scope: { target, queue: null } };
  if (namespace === null || queue === null) throw new Error('an override is of a target or of a queue');
  return { ...decided, scope: { target: null, queue: { namespace, queue } } };
}
