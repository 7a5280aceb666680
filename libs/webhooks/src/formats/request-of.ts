import { Webhook } from 'standardwebhooks';
import type { WebhookRequest } from '#libs/application';
import { pagedStep } from './incident-step.js';
import { pagerdutyBody } from './pagerduty.js';
import { slackBody } from './slack.js';

export interface FormedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The request of one try. `at` is signed with the message, since receivers refuse what is older than five minutes. null: nothing is
 * to be sent in this format, as when the format of a webhook was changed while something of before still waited.
 */
export function requestOf({ format, url, secret, id, body }: WebhookRequest, at: Date): FormedRequest | null {
  const address = url ?? secret.reveal();
  if (format === 'standard') {
    return {
      url: address,
      body,
      headers: {
        ...headersOf('application/cloudevents+json; charset=utf-8'),
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret.reveal()).sign(id, at, body),
      },
    };
  }
  const step = pagedStep(body);
  if (step === null) return null;
  const formed = format === 'pagerduty' ? pagerdutyBody(step, secret.reveal()) : slackBody(step);
  return { url: address, body: formed, headers: headersOf('application/json; charset=utf-8') };
}

function headersOf(type: string): Record<string, string> {
  return { 'content-type': type, 'user-agent': 'jobwarden' };
}
