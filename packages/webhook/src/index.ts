export { createWebhook, type Webhook, type WebhookOptions } from './webhook.js';
export { createReceiver, type Outcome, type Receiver, type ReceiverOptions } from './receiver.js';
export type { Refusal, RefusalCode } from './refusal.js';
export { memoryDeliveries, type DeliveryStore, type MemoryDeliveriesOptions } from './deliveries.js';
export { nodeHandler, type NodeHandler } from './node.js';
export { commandMessage, type JobMessage } from './job-message.js';
