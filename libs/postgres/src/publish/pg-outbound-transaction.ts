import {
  messageKey,
  type AttachmentRequest,
  type Attachments,
  type MessageKind,
  type MessageOutcome,
  type OutboundMessage,
  type OutboundTransaction,
  type OutgoingEntry,
} from '#libs/application';
import { stateFromJson, type JobState } from '#libs/domain';
import { hexes, ints, texts } from '../arrays.js';
import type { Queryable } from '../database.js';
import { entryOf, known, type AttachmentRow, type EntryRow } from './outbound-rows.js';
import * as sql from './outbound-statements.js';

interface Frame {
  readonly sent: number;
  readonly actionsEnabled: boolean;
}

/** One transaction under a shard's fence; the publisher's row is locked, so places are given out one writer at a time. */
export class PgOutboundTransaction implements OutboundTransaction {
  readonly actionsEnabled: boolean;
  private sent: number;

  constructor(
    private readonly tx: Queryable,
    private readonly shard: number,
    frame: Frame,
  ) {
    this.actionsEnabled = frame.actionsEnabled;
    this.sent = frame.sent;
  }

  async lockJobs(keys: readonly string[]): Promise<ReadonlyMap<string, JobState>> {
    const rows = await this.tx.prepared<{ key: string; state: string; fold_version: number }>(
      'publish_lock_jobs',
      sql.LOCK_JOBS,
      [hexes(keys)],
    );
    return new Map(rows.map((row) => [row.key, stateFromJson(known(row, row.state))]));
  }

  async outcomes(numbers: readonly number[]): Promise<ReadonlyMap<string, MessageOutcome>> {
    const rows = await this.tx.prepared<{ number: number; kind: MessageKind; outcome: MessageOutcome }>(
      'publish_outcomes',
      sql.OUTCOMES,
      [this.shard, ints(numbers)],
    );
    return new Map(rows.map((row) => [messageKey(row.number, row.kind), row.outcome]));
  }

  async parked(keys: readonly string[]): Promise<readonly OutgoingEntry[]> {
    const rows = await this.tx.prepared<EntryRow>('publish_parked', sql.PARKED, [hexes(keys)]);
    return rows.map(entryOf);
  }

  async attachments(wanted: readonly AttachmentRequest[]): Promise<readonly Attachments[]> {
    const rows = await this.tx.prepared<AttachmentRow>('publish_attachments', sql.ATTACHMENTS, [
      hexes(wanted.map((w) => w.keyHex)),
      ints(wanted.map((w) => w.period)),
      ints(wanted.map((w) => w.attempt)),
      hexes(wanted.map((w) => w.payloadHash)),
      hexes(wanted.map((w) => w.grantKey)),
    ]);
    return rows.map(({ payload, progress, shard, number }) => ({
      payload,
      progress,
      grant: shard === null || number === null ? null : { shard, number },
    }));
  }

  async write(messages: readonly OutboundMessage[]): Promise<void> {
    if (messages.length === 0) return;
    const places = messages.map((m) => (m.outcome === 'sent' ? (this.sent += 1) : null));
    const written = await this.tx.prepared<{ number: number; kind: MessageKind }>('publish_write', sql.WRITE, [
      this.shard,
      ints(messages.map((m) => m.position.number)),
      texts(messages.map((m) => m.kind)),
      ints(messages.map((m) => m.queueId)),
      hexes(messages.map((m) => m.keyHex)),
      texts(messages.map((m) => m.outcome)),
      ints(places),
      texts(messages.map((m) => m.detail)),
      ints(messages.map((m) => m.laneMs)),
      texts(messages.map((m) => m.message)),
      texts(messages.map((m) => m.deliverTo ?? null)),
      this.sent,
    ]);
    const now = new Set(written.map((w) => messageKey(w.number, w.kind)));
    await this.deliver(messages.filter((m) => now.has(messageKey(m.position.number, m.kind))));
  }

  private async deliver(messages: readonly OutboundMessage[]): Promise<void> {
    const rows = messages.flatMap((m) => m.webhooks.map((webhook) => ({ webhook, ...m })));
    if (rows.length === 0) return;
    await this.tx.prepared('publish_deliver', sql.DELIVER, [
      this.shard,
      texts(rows.map((r) => r.webhook)),
      ints(rows.map((r) => r.position.number)),
      texts(rows.map((r) => r.kind)),
      hexes(rows.map((r) => r.keyHex)),
    ]);
  }
}
