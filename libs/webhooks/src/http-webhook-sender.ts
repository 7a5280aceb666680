import type { WebhookAnswer, WebhookRequest, WebhookSender } from '#libs/application';
import { requestsOf, type FormedRequest } from './formats/request-of.js';

export interface HttpWebhookSenderOptions {
  /** From the connection to the last header of the (last) answer, ms. Default 10,000. */
  readonly timeoutMs?: number;
  /** Default: the clock. Receivers refuse what is older than five minutes, so each try has its own time. */
  readonly now?: () => Date;
}

/**
 * One POST per try, and two where an end goes by two keys at a pager: both again where one is refused. Format `standard` is signed by Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`);
 * a pager's or a chat's has its own words, and its key or address is the secret.
 *
 * Any 2xx acknowledges. A redirect does not, and is not followed: it could lead the message and its signature anywhere.
 * The answer's body is not read, so that no receiver can fill our memory. What the receiver answers is not kept either,
 * only its status: it may quote what it was sent.
 */
export class HttpWebhookSender implements WebhookSender {
  private readonly timeoutMs: number;
  private readonly now: () => Date;

  constructor({ timeoutMs = 10_000, now = () => new Date() }: HttpWebhookSenderOptions = {}) {
    this.timeoutMs = timeoutMs;
    this.now = now;
  }

  async send(request: WebhookRequest, signal: AbortSignal): Promise<WebhookAnswer | 'interrupted'> {
    const timeout = AbortSignal.timeout(this.timeoutMs);
    try {
      for (const formed of requestsOf(request, this.now())) {
        const { ok, status } = await post(formed, AbortSignal.any([signal, timeout]));
        if (!ok) return { ok: false, detail: refusal(status) };
      }
      return { ok: true };
    } catch (error) {
      if (signal.aborted) return 'interrupted';
      if (timeout.aborted) return { ok: false, detail: `no answer within ${String(this.timeoutMs)} ms` };
      return { ok: false, detail: failure(error) };
    }
  }
}

async function post({ url, headers, body }: FormedRequest, signal: AbortSignal): Promise<Pick<Response, 'ok' | 'status'>> {
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
  await response.body?.cancel();
  return response;
}

function refusal(status: number): string {
  const redirected = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  return `answered ${String(status)}${redirected}`;
}

/** `fetch` hides the reason (`ECONNREFUSED` …) in the cause. */
function failure(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : null;
  return code === null ? 'the request failed' : `the request failed (${code})`;
}
