import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a request says of itself: the headers of Standard Webhooks. */
export interface Signed {
  /** `webhook-id` */
  readonly id: string;
  /** `webhook-timestamp`, seconds since 1970. */
  readonly timestamp: string;
  /** `webhook-signature`: `v1,<base64>`, perhaps several. */
  readonly signature: string;
}

/** null: some header is missing. */
export function signedBy(headers: Headers): Signed | null {
  const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headers.get(name) ?? '');
  if (id === undefined || timestamp === undefined || signature === undefined) return null;
  return id === '' || timestamp === '' || signature === '' ? null : { id, timestamp, signature };
}

/** Whether it was sent at about this time: what is older may be a replay. */
export function isOfNow({ timestamp }: Signed, nowMs: number, toleranceMs: number): boolean {
  return /^\d{1,15}$/u.test(timestamp) && Math.abs(nowMs - Number(timestamp) * 1_000) <= toleranceMs;
}

const RULE = '`whsec_` and base64 of 24 to 64 bytes, as in the `webhooks` of the policy file';

/** The secrets that a request may be signed with: one, or while it is changed the old one and the new one. */
export class Secrets {
  private readonly keys: readonly Buffer[];

  /** @throws TypeError where one is none. The error does not show it. */
  constructor(secrets: readonly string[]) {
    if (secrets.length === 0) throw new TypeError(`secret is missing: say it, or set WORKERS_WEBHOOK_SECRET to ${RULE}`);
    this.keys = secrets.map((secret, i) => keyOf(secret, secrets.length === 1 ? 'secret' : `secret[${String(i)}]`));
  }

  /** In a time that tells nothing of the secret. */
  haveSigned({ id, timestamp, signature }: Signed, body: Uint8Array): boolean {
    const given = signature.split(' ').flatMap((one) => (one.startsWith('v1,') ? [Buffer.from(one.slice(3), 'base64')] : []));
    return this.keys.some((key) => {
      const right = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
      return given.some((one) => one.length === right.length && timingSafeEqual(one, right));
    });
  }
}

function keyOf(secret: string, option: string): Buffer {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/u.exec(secret.trim()) ?? [];
  const key = Buffer.from(encoded ?? '', 'base64');
  if (key.length < 24 || key.length > 64) throw new TypeError(`${option} has to be ${RULE}`);
  return key;
}
