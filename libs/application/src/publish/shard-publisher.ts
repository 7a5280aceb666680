import { payloadOf } from '#libs/domain';
import { noFailpoint, type Failpoint } from '../ports/failpoint.port.js';
import type { MessageSink } from '../ports/message-sink.port.js';
import type { OutboundMessage, OutboundStore, ShardLease } from '../ports/outbound-store.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { PublishObserver } from '../ports/publish-observer.port.js';
import type { Traces } from '../ports/traces.port.js';
import type { WebhookDirectory } from '../ports/webhooks.port.js';
import { tellMessages } from '../traces/told-messages.js';
import { decideCommands } from './decide-commands.js';
import { decoded, intentOf, type DecodedEntry } from './decoded-entry.js';
import { fallbackOf } from './fallback-queue.js';
import { IncidentPublisher } from './incident-publisher.js';
import { decideInvalidations } from './decide-invalidations.js';

export interface ShardPublisherParts {
  readonly store: OutboundStore;
  readonly webhooks: WebhookDirectory;
  readonly observer: PublishObserver;
  /** Which queue's workers commands are meant for. Default: each job's own. */
  readonly policies?: PolicySource;
  /** Ways out besides the outbound table. Default: none. */
  readonly sinks?: readonly MessageSink[];
  readonly failpoint?: Failpoint;
  /** Default: nobody collects spans. */
  readonly traces?: Traces | undefined;
}

export interface PublishLimits {
  /** Log entries in one batch. Default 200. */
  readonly batchEntries?: number;
  /** Payloads in one batch, bytes; one entry is always taken. Default 16 MiB. */
  readonly batchBytes?: number;
  /** A larger payload is not sent: the message is parked. Bytes, default 1 MiB. */
  readonly payloadLimitBytes?: number;
}

/** `off`: the stop switch holds everything back. */
export type BatchOutcome = 'published' | 'empty' | 'off';

/**
 * Publishes one shard, a batch at a time.
 *
 *   sinks open, entries above the checkpoint
 *     → (a) invalidations, one transaction          the commit is their acknowledgement; then further sinks
 *     → (b) commands and dead letters, another      checked again under the job rows' locks; then further sinks
 *     → (c) checkpoint
 *
 * Every step writes under the shard's fence and may be repeated: after a crash in between, the next publisher reads the
 * same entries again, finds the messages that are there by their ids, and adds the missing ones.
 *
 * Clocks: none here; the lease runs on the database's. Guaranteed: an invalidation is acknowledged before the command
 * that names it; no command of a job that had ended when it was sent; per job the order of the log. Not guaranteed: any
 * order across jobs; that further sinks get each message once (its id is the same each time).
 */
export class ShardPublisher {
  private readonly limits: Required<PublishLimits>;
  private readonly failpoint: Failpoint;
  private readonly sinks: readonly MessageSink[];
  /** Goes its own way: see there. */
  readonly incidents: IncidentPublisher;

  constructor(
    private readonly parts: ShardPublisherParts,
    limits: PublishLimits = {},
  ) {
    this.limits = { batchEntries: 200, batchBytes: 16 * 1_048_576, payloadLimitBytes: 1_048_576, ...limits };
    this.failpoint = parts.failpoint ?? noFailpoint;
    this.sinks = parts.sinks ?? [];
    this.incidents = new IncidentPublisher(parts);
  }

  /**
   * Publishes what lies above the checkpoint, or until `more` says to stop. What is appended meanwhile it leaves for the
   * next call, rather than follow a busy shard in ever smaller batches while others wait. Throws `lease_lost`.
   */
  async drain(lease: ShardLease, more: () => boolean): Promise<BatchOutcome> {
    let outcome: BatchOutcome = 'empty';
    let after = lease.checkpoint;
    for (let full = true; full && more(); ) {
      const read = await this.parts.store.next(lease.shard, after, this.limits.batchEntries);
      const entries = fitting(read.map(decoded), this.limits.batchBytes);
      const last = entries.at(-1)?.entry.position.number;
      if (last === undefined) return outcome;
      if (!(await this.batch(lease, entries, last))) return 'off';
      outcome = 'published';
      after = last;
      full = entries.length < read.length || read.length === this.limits.batchEntries;
    }
    return outcome;
  }

  /** Tries parked messages again that somebody asked for. Throws `lease_lost`. */
  async retryParked(lease: ShardLease): Promise<BatchOutcome> {
    const entries = (await this.parts.store.retries(lease.shard, this.limits.batchEntries)).map(decoded);
    if (entries.length === 0) return 'empty';
    await this.open(lease, 'retry');
    const went = (await this.sendInvalidations(lease, entries, 'parked')) && (await this.sendCommands(lease, entries));
    return went ? 'published' : 'off';
  }

  /** The shards that are this replica's now. */
  keep(leases: readonly ShardLease[]): void {
    for (const sink of this.sinks) sink.keep?.(leases);
  }

  private async open(lease: ShardLease, why: 'batch' | 'retry'): Promise<void> {
    for (const sink of this.sinks) await sink.open?.(lease, why);
  }

  private faultOf(message: OutboundMessage): string | null {
    for (const sink of this.sinks) {
      const fault = sink.faultOf?.(message) ?? null;
      if (fault !== null) return fault;
    }
    return null;
  }

  private async batch(lease: ShardLease, entries: readonly DecodedEntry[], last: number): Promise<boolean> {
    const startedMs = performance.now();
    await this.failpoint('commit/publish');
    await this.open(lease, 'batch');
    if (!(await this.sendInvalidations(lease, entries, 'all'))) return false;
    if (!(await this.sendCommands(lease, entries))) return false;
    await this.failpoint('publish/checkpoint');
    await this.parts.store.checkpoint(lease, last);
    this.parts.observer.batch?.(lease.shard, entries.length, performance.now() - startedMs);
    return true;
  }

  private async sendInvalidations(
    lease: ShardLease,
    entries: readonly DecodedEntry[],
    which: 'all' | 'parked',
  ): Promise<boolean> {
    const since = this.parts.traces?.now() ?? 0;
    const rules = { which, faultOf: (m: OutboundMessage) => this.faultOf(m) };
    const messages = await decideInvalidations(entries, rules, (work) => this.parts.store.transact(lease, work));
    if (messages === null) return false;
    await this.tell(messages, lease);
    if (this.parts.traces !== undefined) tellMessages(this.parts.traces, messages, entries, since);
    return true;
  }

  private async sendCommands(lease: ShardLease, entries: readonly DecodedEntry[]): Promise<boolean> {
    // The checkpoint looks at the fence, too.
    if (entries.every((e) => intentOf(e) === null)) return true;
    const since = this.parts.traces?.now() ?? 0;
    const rules = {
      webhooks: this.parts.webhooks.list(),
      payloadLimitBytes: this.limits.payloadLimitBytes,
      repeatSent: this.sinks.length > 0,
      ...(this.parts.policies !== undefined && { fallbackOf: fallbackOf(this.parts.policies) }),
      faultOf: (m: OutboundMessage) => this.faultOf(m),
    };
    const messages = await this.parts.store.transact(lease, async (tx) => {
      if (!tx.actionsEnabled) return null;
      const decided = await decideCommands(tx, entries, rules);
      await tx.write(decided);
      return decided;
    });
    if (messages === null) return false;
    await this.tell(messages, lease);
    if (this.parts.traces !== undefined) tellMessages(this.parts.traces, messages, entries, since);
    return true;
  }

  private async tell(messages: readonly OutboundMessage[], lease: ShardLease): Promise<void> {
    const { observer } = this.parts;
    const going = messages.filter((m) => m.outcome === 'sent');
    if (going.length > 0) for (const sink of this.sinks) await sink.send(going, lease);
    for (const { kind, outcome, detail } of messages) {
      if (outcome === 'sent') observer.sent?.(kind, 1);
      else if (outcome === 'skipped') observer.skipped?.(kind, detail ?? '');
      else observer.parked?.(kind, detail ?? '');
    }
  }
}

/** As many entries as the bytes of their payloads allow, and at least one. */
function fitting(entries: readonly DecodedEntry[], bytes: number): readonly DecodedEntry[] {
  let total = 0;
  const end = entries.findIndex(({ state }, i) => {
    const payload = payloadOf(state);
    total += payload !== undefined && 'bytes' in payload ? payload.bytes : 0;
    return i > 0 && total > bytes;
  });
  return end < 0 ? entries : entries.slice(0, end);
}
