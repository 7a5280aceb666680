import {
  Loop,
  Publisher,
  ShardPublisher,
  Streams,
  StuckNotices,
  WebhookDeliveries,
  type Failpoint,
  type MessageSink,
  type PolicySource,
  type PublishObserver,
  type WebhookDirectory,
} from '#libs/application';
import type { Metrics } from '#libs/observability';
import { PgDeliveryStore, PgNoticeStore, PgOutboundStore, PgPublisherLeases, PgStreamStore } from '#libs/postgres';
import { HttpWebhookSender } from '#libs/webhooks';
import type { Logger } from 'pino';
import type { Databases } from './databases.js';
import { traces } from './traces.js';

export interface PublishingParts {
  readonly databases: Databases;
  readonly webhooks: WebhookDirectory;
  readonly policies: PolicySource;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly replicaId: string;
  readonly actions: 'on' | 'off';
  readonly failpoint: Failpoint;
  /** Ways out beside the outbound table. */
  readonly sinks: readonly MessageSink[];
}

export interface BuiltPublishing {
  readonly publisher: Publisher;
  readonly streams: Streams;
  readonly deliveries: WebhookDeliveries;
  /** Tells of what is stuck; none where this replica lets nothing out. */
  readonly notices: readonly Loop[];
}

/** The ways out: the outbound table by shard, server-sent events from it, and webhooks. */
export function buildPublishing(parts: PublishingParts): BuiltPublishing {
  const { databases, webhooks, policies, metrics, log, replicaId, actions, failpoint, sinks } = parts;
  const observer = observerOf(metrics, log);
  const store = new PgOutboundStore(databases.loops);
  const shards = new ShardPublisher({ store, webhooks, policies, observer, failpoint, sinks, traces: traces() });
  const leases = new PgPublisherLeases(databases.loops);
  const publisher = new Publisher({ leases, store, shards, observer }, { replicaId, actions });
  const { published } = publisher;
  const streams = new Streams(new PgStreamStore(databases.reads), published, observer, { actions });
  const sender = new HttpWebhookSender();
  const deliveries = new WebhookDeliveries(
    { store: new PgDeliveryStore(databases.loops), sender, webhooks, observer, published },
    { actions },
  );
  const stuck = new StuckNotices({
    store: new PgNoticeStore(databases.loops),
    webhooks,
    sender,
    failed: ({ id, webhook, tries }, detail) => log.warn({ id, webhook, tries, detail }, 'a notice was not acknowledged'),
  });
  const notices = new Loop(() => stuck.turn(), {
    idleMs: NOTICES_EVERY_MS,
    onError: (error) => log.warn({ err: error }, 'notices of what is stuck failed, and are repeated'),
  });
  return { publisher, streams, deliveries, notices: actions === 'on' ? [notices] : [] };
}

const NOTICES_EVERY_MS = 1_000;

const CHANNEL = {
  invalidation: 'invalidations',
  enqueue: 'commands',
  stop: 'commands',
  'dead-letter': 'dead-letters',
  incident: 'incidents',
} as const;

/** Of each webhook: so often at most, or a receiver that is away would fill the log. */
const REFUSALS_EVERY_MS = 60_000;

function observerOf(metrics: Metrics, log: Logger): PublishObserver {
  const toldMs = new Map<string, number>();
  return {
    sent: (kind, count) => metrics.published.add({ channel: CHANNEL[kind] }, count),
    skipped: () => metrics.publisherSkipped.add({}),
    parked: (kind, why) => log.warn({ kind, why }, 'a message was parked'),
    batch: (_shard, _entries, ms) => metrics.publishDuration.observe({}, ms / 1_000),
    leaseLost: (shard) => log.info({ shard }, 'another replica publishes the shard now'),
    delivered: (webhook, ok) => log.debug({ webhook, ok }, 'webhook tried'),
    refused: (webhook, detail, { inMs, tries }) => {
      if (performance.now() - (toldMs.get(webhook) ?? -Infinity) < REFUSALS_EVERY_MS) return;
      toldMs.set(webhook, performance.now());
      log.warn({ webhook, detail, tries, againInMs: inMs }, 'a webhook does not acknowledge; messages to it are sent again, and parked after ten tries');
    },
    failed: (what, error) => log.warn({ what, err: error }, 'publishing failed, and is tried again'),
  };
}
