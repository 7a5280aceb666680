import { Webhook } from 'standardwebhooks';
import type { WebhookRequest } from '#libs/application';
import { pagedStep } from './incident-step.js';
import { pagerdutyBodies } from './pagerduty.js';
import { slackBody } from './slack.js';

export interface FormedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The requests of one try, in their order; the message has arrived with the last one. `at` is signed with the message, since
 * receivers refuse what is older than five minutes. None: nothing is to be sent in this format, as when the format of a webhook
 * was changed while something of before still waited.
 */
export function requestsOf({ format, url, secret, id, body }: WebhookRequest, at: Date): readonly FormedRequest[] {
  const address = url ?? secret.reveal();
  if (format === 'standard') {
    const headers = {
      ...headersOf('application/cloudevents+json; charset=utf-8'),
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret.reveal()).sign(id, at, body),
    };
    return [{ url: address, body, headers }];
  }
  const step = pagedStep(body);
  if (step === null) return [];
  const bodies = format === 'pagerduty' ? pagerdutyBodies(step, secret.reveal()) : [slackBody(step)];
  return bodies.map((formed) => ({ url: address, body: formed, headers: headersOf('application/json; charset=utf-8') }));
}

function headersOf(type: string): Record<string, string> {
  return { 'content-type': type, 'user-agent': 'jobwarden' };
}
