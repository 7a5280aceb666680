import type { Page, PageOf, Signal, SignalFilter, SignalReads, SignalRow, SignalStore, ToldSignal } from '#libs/application';
import { bools, hexes, ints, texts } from '../arrays.js';
import type { Queryable } from '../database.js';
import { Conditions, numberAfter, onePast, paged, rowId } from '../read/paging.js';
import { signalOf, signalRowOf, type StoredSignal } from './rows.js';
import * as sql from './statements.js';

type Told = Awaited<ReturnType<SignalStore['tell']>>[number];

export class PgSignalStore implements SignalStore, SignalReads {
  constructor(private readonly database: Queryable) {}

  async tell(told: readonly ToldSignal[]): Promise<readonly Told[]> {
    if (told.length === 0) return [];
    const rows = await this.database.query<StoredSignal & { readonly identity: string; readonly is_new: boolean }>(sql.TELL, [
      hexes(told.map((t) => t.identity)),
      texts(told.map((t) => t.source)),
      texts(told.map((t) => t.fingerprint)),
      ints(told.map((t) => t.startsMs)),
      texts(told.map((t) => t.namespace)),
      texts(told.map((t) => t.queue)),
      texts(told.map((t) => JSON.stringify(t.figures))),
      bools(told.map((t) => t.firing)),
      texts(told.map((t) => t.refused?.why ?? null)),
      texts(told.map((t) => t.refused?.detail ?? null)),
    ]);
    const found = new Map(rows.map((row) => [row.identity, { row: signalRowOf(row), isNew: row.is_new }]));
    return told.flatMap(({ identity }) => found.get(identity) ?? []);
  }

  async unassigned(): Promise<readonly (Signal & { readonly settledUntilMs: number | null })[]> {
    const rows = await this.database.query<StoredSignal>(sql.UNASSIGNED);
    return rows.map((row) => ({ ...signalOf(row), settledUntilMs: row.settled_until_ms }));
  }

  async assign(ids: readonly string[], incidentId: string): Promise<void> {
    await this.database.query(sql.ASSIGN, [numbers(ids), rowId(incidentId)]);
  }

  async settle(ids: readonly string[], why: string | null, until: Parameters<SignalStore['settle']>[2] = null): Promise<void> {
    await this.database.query(sql.SETTLE, [numbers(ids), why, until?.ms ?? null, until?.detail ?? null]);
  }

  async standing(incidentId: string): Promise<readonly Signal[]> {
    return (await this.database.query<StoredSignal>(sql.STANDING, [rowId(incidentId)])).map(signalOf);
  }

  async expire(silentMs: number): Promise<number> {
    return (await this.database.query(sql.EXPIRE, [silentMs])).length;
  }

  async queuesNamed(names: readonly string[]): Promise<readonly { readonly namespace: string; readonly queue: string }[]> {
    return await this.database.query(sql.QUEUES_NAMED, [texts(names)]);
  }

  async nowMs(): Promise<number> {
    const [row] = await this.database.query<{ now_ms: number }>(sql.NOW);
    return row?.now_ms ?? 0;
  }

  async list(filter: SignalFilter, page: Page): Promise<PageOf<SignalRow>> {
    const conditions = new Conditions()
      .add('s.namespace = ANY ($::text[])', filter.namespaces === 'all' ? null : filter.namespaces)
      .add('s.queue = $', filter.queue)
      .add('s.signal_id < $', numberAfter(page));
    if (filter.state !== undefined) conditions.having(sql.IN_STATE[filter.state]);
    const limit = conditions.param(onePast(page));
    const text = `${sql.LIST} ${conditions.where} ORDER BY s.signal_id DESC LIMIT ${limit}`;
    const rows = await this.database.query<StoredSignal>(text, conditions.values);
    return paged(rows, page, (row) => String(row.id), signalRowOf);
  }
}

function numbers(ids: readonly string[]): string {
  return ints(ids.map(rowId).filter((id) => id !== null));
}
