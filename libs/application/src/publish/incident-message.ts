import { incidentEventType, incidentMessagesKey, type IncidentStepData } from '#libs/contracts';
import type { OutboundMessage, OutgoingStep } from '../ports/outbound-store.port.js';
import type { WebhookEndpoint } from '../ports/webhooks.port.js';
import { iso } from '../views/time.js';
import { cloudEvent } from './cloud-event.js';
import { messageId } from './message-id.js';
import { webhooksFor } from './webhook-match.js';

/**
 * A step of an incident as it goes out, with what the incident is about: who is woken by it need not ask. Steps keep
 * their order within the incident alone. One that a webhook does not take must not silence the next incident.
 */
export function incidentMessage(outgoing: OutgoingStep, webhooks: readonly WebhookEndpoint[]): OutboundMessage {
  const { position, incidentId, kind, subject, summary, openedMs, queue, step } = outgoing;
  const { n, by, reason, evidence, atMs: laneMs, type } = step;
  const data: IncidentStepData = {
    incidentId,
    kind,
    subject,
    summary,
    openedAt: iso(openedMs),
    ...(queue !== null && { queue: queue.queue }),
    n,
    by,
    reason,
    ...(evidence !== undefined && { evidence: { ...evidence } }),
  };
  const id = messageId('incident', { position, laneMs });
  const ref = { id: incidentId, namespace: queue?.namespace };
  return {
    position,
    kind: 'incident',
    keyHex: incidentMessagesKey(incidentId).toString('hex'),
    queueId: queue?.queueId ?? null,
    orderKey: `incident/${incidentId}`,
    laneMs,
    outcome: 'sent',
    detail: null,
    message: cloudEvent({ id, type: incidentEventType(type), ref, laneMs }, data),
    webhooks: webhooksFor(webhooks, 'incident', queue === null ? null : [queue.queue], step),
  };
}
