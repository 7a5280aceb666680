// Webhooks over HTTP, signed by Standard Webhooks.
export { HttpWebhookSender, type HttpWebhookSenderOptions } from './http-webhook-sender.js';
