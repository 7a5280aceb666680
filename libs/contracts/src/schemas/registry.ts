import type { TSchema } from 'typebox';
import {
  DEAD_LETTER_TYPE,
  ENQUEUE_COMMAND_TYPE,
  FACT_KINDS,
  INVALIDATION_TYPE,
  jobEventType,
  QUEUE_STATE_TYPE,
  STOP_COMMAND_TYPE,
  STUCK_TYPE,
  WORKER_HEARTBEAT_TYPE,
} from '../vocabulary.js';
import { FACT_EVENTS } from './facts.js';
import { INCIDENT_EVENTS } from './incidents.js';
import { DeadLetteredEvent, EnqueueCommand, InvalidationEvent, StopCommand } from './outgoing.js';
import { StuckEvent } from './stuck.js';
import { QueueStateEvent, WorkerHeartbeatEvent } from './reports.js';

/** Events that come in, whole, by type: what AsyncAPI's `events` channel carries. */
export const INCOMING_EVENTS: Readonly<Record<string, TSchema>> = {
  ...Object.fromEntries(FACT_KINDS.map((kind) => [jobEventType(kind), FACT_EVENTS[kind]])),
  [WORKER_HEARTBEAT_TYPE]: WorkerHeartbeatEvent,
  [QUEUE_STATE_TYPE]: QueueStateEvent,
};

/** Events that go out, whole, by type. */
export const OUTGOING_EVENTS: Readonly<Record<string, TSchema>> = {
  [ENQUEUE_COMMAND_TYPE]: EnqueueCommand,
  [STOP_COMMAND_TYPE]: StopCommand,
  [INVALIDATION_TYPE]: InvalidationEvent,
  [DEAD_LETTER_TYPE]: DeadLetteredEvent,
  ...INCIDENT_EVENTS,
};

/** Events that go to webhooks alone, whole, by type. */
export const WEBHOOK_EVENTS: Readonly<Record<string, TSchema>> = { [STUCK_TYPE]: StuckEvent };
