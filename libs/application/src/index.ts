export * from './ports/log-store.port.js';
export * from './ports/policy-source.port.js';
export * from './ports/errors.js';
export * from './ports/lane-clock.port.js';
export * from './ports/lane-store.port.js';
export * from './ports/event-feed.port.js';
export * from './ports/due-store.port.js';
export * from './ports/quarantine-store.port.js';
export * from './ports/lease-store.port.js';
export * from './ports/outbound-store.port.js';
export * from './log/event-record.js';
export * from './log/job-change.js';
export * from './ports/failpoint.port.js';
export * from './ports/read-models.port.js';
export * from './ports/incident-store.port.js';
export {
  Incidents,
  isOpen,
  type IncidentAbout,
  type IncidentObserver,
  type StepOutcome,
  type Told,
} from './incidents/incidents.js';
export { incidentDetail, incidentView } from './views/incident-view.js';
export { jobDetail, jobSummary } from './views/job-view.js';
export { timelineEvent } from './views/timeline-view.js';
export { queueView } from './views/queue-view.js';
export { laneView, workerView } from './views/worker-view.js';
export { runView, verdictView } from './views/reconciliation-view.js';
export { deadLetterView } from './views/dead-letter-view.js';
export { quarantineView } from './views/quarantine-view.js';
export { invalidationView } from './views/invalidation-view.js';
export { iso, isoOrNull } from './views/time.js';
export * from './ports/queue-state-store.port.js';
export * from './ingest/group-commit.js';
export { factItem, type FactItem, type FactOutcome } from './ingest/fact-item.js';
export { FactWriter, type MovedFacts } from './ingest/fact-writer.js';
export { Heartbeats, type BeatState } from './ingest/heartbeats.js';
export { LaneIngest, type LaneIngestOptions, type LaneIngestParts, type LaneObserver } from './lanes/lane-ingest.js';
export { Ingest, type IngestOptions, type IngestParts } from './ingest/ingest.js';
export * from './ports/operate-store.port.js';
export * from './ports/audit-store.port.js';
export * from './operate/operator-request.js';
export { OperateJob } from './operate/operate-job.js';
export * from './operate/level-overrides.js';
export * from './operate/stop-switch.js';
export * from './operate/manual-clock.js';
export * from './operate/quarantine-calls.js';
export * from './ports/reconciliation-store.port.js';
export { Reconciler, type ReconcilerParts, type RunOptions, type RunResult } from './reconcile/reconciler.js';
export { UNRESOLVED_AFTER_MS } from './reconcile/look.js';
export { Loop, type LoopOptions } from './reconcile/loop.js';
export * from './audit/audit-report.js';
export { countersOf } from './audit/tally.js';
export { Audit, type AuditOptions, type AuditStep } from './audit/audit.js';
export { AuditRound, type RoundTurn } from './audit/audit-round.js';
export { Rebuild, type RebuildOptions, type RebuildOutcome } from './audit/rebuild.js';
export { RebuildSchedules, type RebuildSchedulesOptions } from './audit/rebuild-schedules.js';
export * from './ports/housekeeping.port.js';
export * from './ports/message-sink.port.js';
export * from './ports/stream-store.port.js';
export * from './ports/webhooks.port.js';
export * from './ports/publishing-report.port.js';
export * from './ports/publish-observer.port.js';
export { Publisher, type PublisherOptions, type PublisherParts } from './publish/publisher.js';
export { ShardPublisher, type BatchOutcome, type PublishLimits, type ShardPublisherParts } from './publish/shard-publisher.js';
export { Streams, type ResetReason, type StreamItem, type StreamOptions, type Subscription } from './publish/streams.js';
export { decodeVector, encodeVector, type PositionVector } from './publish/position-vector.js';
export { WebhookDeliveries, type WebhookDeliveriesOptions, type WebhookDeliveriesParts } from './publish/webhook-deliveries.js';
export { WEBHOOK_RETRIES, type RetrySchedule } from './publish/backoff.js';
export { namedWebhooks, type WebhookEntry } from './publish/webhook-match.js';
export { WakeSignal } from './publish/wake-signal.js';
