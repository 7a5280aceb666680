import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

export interface Sending {
  readonly secret: string;
  readonly atMs: number;
  /** `webhook-id`. */
  readonly id?: string;
}

/** Headers as the library of Standard Webhooks signs a body. */
export function signed(body: string, { secret, atMs, id = 'enqueue-1' }: Sending): Record<string, string> {
  const at = new Date(atMs);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(atMs / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}

export function command(type: 'enqueue' | 'stop', more: Readonly<Record<string, unknown>> = {}): string {
  const data = { queue: 'mail', n: 3, attempt: 2, token: 2, reason: 'lost', payload: { to: 'ada' }, ...more };
  return JSON.stringify({ specversion: '1.0', id: `${type}-1`, source: 'jobwarden', subject: 'welcome-1', type: `jobwarden.command.${type}.v1`, data });
}
