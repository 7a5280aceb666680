import { noFailpoint, type Failpoint } from '../ports/failpoint.port.js';
import type { MessageSink } from '../ports/message-sink.port.js';
import type { OutboundMessage, OutboundStore, ShardLease } from '../ports/outbound-store.port.js';
import type { PublishObserver } from '../ports/publish-observer.port.js';
import type { WebhookDirectory } from '../ports/webhooks.port.js';
import { incidentMessage } from './incident-message.js';

export interface IncidentPublisherParts {
  readonly store: Pick<OutboundStore, 'incidentSteps' | 'incidentCheckpoint' | 'transact'>;
  readonly webhooks: WebhookDirectory;
  readonly observer: PublishObserver;
  readonly sinks?: readonly MessageSink[];
  readonly failpoint?: Failpoint;
}

/** Steps in one batch. */
const BATCH = 100;

/**
 * Publishes the incidents of one shard, by a checkpoint of their own.
 *
 *   steps above the incidents' checkpoint
 *     → outbound table, under the fence      streams and webhooks have it with the commit
 *     → further sinks                        opened, and the fence looked at again, before each batch
 *     → the incidents' checkpoint
 *
 * Apart from the entries of jobs, because an incident is no action: the stop switch does not hold it back, nor does what
 * keeps a shard's commands waiting, such as a broker that is away or a row of a newer program. Those are the very hours
 * in which somebody has to be woken.
 *
 * After a crash in between the batch is repeated: the table keeps what is there by its id, sinks get it again under the
 * same id. Guaranteed: the order of steps, within the shard and so within an incident. Not guaranteed: any order among
 * incidents and messages of jobs.
 */
export class IncidentPublisher {
  private readonly sinks: readonly MessageSink[];
  private readonly failpoint: Failpoint;

  constructor(private readonly parts: IncidentPublisherParts) {
    this.sinks = parts.sinks ?? [];
    this.failpoint = parts.failpoint ?? noFailpoint;
  }

  /** Publishes until nothing is left, or `more` says to stop. true: something went out. Throws `lease_lost`. */
  async drain(lease: ShardLease, more: () => boolean): Promise<boolean> {
    const { store } = this.parts;
    let after = lease.incidentCheckpoint;
    while (more()) {
      const steps = await store.incidentSteps(lease.shard, after, BATCH);
      const last = steps.at(-1)?.position.number;
      if (last === undefined) break;
      const webhooks = this.parts.webhooks.list();
      const messages = steps.map((step) => incidentMessage(step, webhooks));
      await store.transact(lease, (tx) => tx.write(messages));
      await this.passOn(lease, messages);
      for (const { kind } of messages) this.parts.observer.sent?.(kind, 1);
      await this.failpoint('publish/checkpoint');
      await store.incidentCheckpoint(lease, last);
      after = last;
    }
    return after > lease.incidentCheckpoint;
  }

  /** A sink that would never take a message must not keep the others, nor the next incidents, from going out. */
  private async passOn(lease: ShardLease, messages: readonly OutboundMessage[]): Promise<void> {
    if (this.sinks.length === 0) return;
    for (const sink of this.sinks) await sink.open?.(lease);
    await this.parts.store.transact(lease, () => Promise.resolve());
    for (const sink of this.sinks) {
      const going = messages.filter((message) => this.fits(sink, message));
      if (going.length > 0) await sink.send(going, lease);
    }
  }

  private fits(sink: MessageSink, message: OutboundMessage): boolean {
    const fault = sink.faultOf?.(message) ?? null;
    if (fault !== null) this.parts.observer.failed?.('publish', new Error(`${sink.name} does not take an incident: ${fault}`));
    return fault === null;
  }
}
