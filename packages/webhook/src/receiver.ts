import { stderrLogger, type CloudEvent, type EnqueueCommand, type Logger, type StopCommand } from '@jobwarden/client';
import { readBody } from './body.js';
import { memoryDeliveries, type DeliveryStore } from './deliveries.js';
import { keyOf, messageOf, type Message } from './message.js';
import { refusalResponse, type Refusal, type RefusalCode } from './refusal.js';
import { isOfNow, Secrets, signedBy } from './signature.js';

export interface ReceiverOptions {
  /** As in the policy file's `webhooks`: `whsec_…`. Several while it is changed: each is accepted. Default: `WORKERS_WEBHOOK_SECRET`. */
  readonly secret?: string | readonly string[];
  /** Put this attempt into the queue. Within ten seconds, or Jobwarden takes it for failed; rejecting has it sent again. */
  readonly onEnqueue: (command: EnqueueCommand) => Promise<void> | void;
  /** Stop this attempt, if a worker of yours runs it. Default: nothing; beats tell it to workers, too. */
  readonly onStop?: (command: StopCommand) => Promise<void> | void;
  /** Anything else that the webhook asks for: dead letters and incidents, stuck jobs. Default: acknowledged, and dropped. */
  readonly onEvent?: (event: CloudEvent) => Promise<void> | void;
  /** What has been dealt with. Default: `memoryDeliveries()`, of this process alone. */
  readonly deliveries?: DeliveryStore;
  /** How far a request's time may be from this machine's, ms, either way. Default 300,000. */
  readonly toleranceMs?: number;
  /** Default 2 MiB: Jobwarden keeps payloads of up to 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Default: warnings to standard error. */
  readonly logger?: Logger;
  /** ms since 1970. Default: the clock. */
  readonly now?: () => number;
}

export type Outcome = 'enqueued' | 'stopped' | 'event' | 'copy' | RefusalCode;

export interface Receiver {
  readonly maxBodyBytes: number;
  /** Answers a request; never rejects. 204: dealt with, now or before. Else problem details with a {@link RefusalCode}. */
  handle(request: Request): Promise<Response>;
  /** Refuses a request that could not be read at all, as `handle` would. */
  refuse(refusal: Refusal): Response;
  /** How many requests had which outcome since the start. */
  stats(): Readonly<Partial<Record<Outcome, number>>>;
}

export const NO_POST: Refusal = { code: 'method_not_allowed', detail: 'webhooks come by POST' };

const WARN_EVERY_MS = 60_000;

/**
 * Takes what Jobwarden sends by webhook. In this order: the signature's headers, its time, the body within its limit, the
 * signature, and only then what is in it; so an unsigned request costs no more than its body.
 * @throws TypeError where a secret is none.
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  return new WebhookReceiver(options);
}

class WebhookReceiver implements Receiver {
  readonly maxBodyBytes: number;
  private readonly secrets: Secrets;
  private readonly deliveries: DeliveryStore;
  private readonly counts: Partial<Record<Outcome, number>> = {};
  private readonly warnedMs = new Map<RefusalCode, number>();
  private readonly now: () => number;

  constructor(private readonly options: ReceiverOptions) {
    const { secret = process.env['WORKERS_WEBHOOK_SECRET'] ?? [], maxBodyBytes = 2 * 1_048_576 } = options;
    this.secrets = new Secrets(typeof secret === 'string' ? [secret] : secret);
    this.deliveries = options.deliveries ?? memoryDeliveries();
    this.maxBodyBytes = maxBodyBytes;
    this.now = options.now ?? Date.now;
  }

  stats(): Readonly<Partial<Record<Outcome, number>>> {
    return { ...this.counts };
  }

  async handle(request: Request): Promise<Response> {
    const message = await this.read(request).catch((error: unknown): Refusal => ({ code: 'invalid_json', detail: `the body could not be read: ${textOf(error)}` }));
    if ('code' in message) return this.refuse(message);
    const outcome = await this.deal(message);
    if (typeof outcome === 'object') return this.refuse(outcome);
    this.count(outcome);
    return new Response(null, { status: 204 });
  }

  refuse(refusal: Refusal): Response {
    this.count(refusal.code);
    this.warn(refusal);
    return refusalResponse(refusal);
  }

  private async read(request: Request): Promise<Message | Refusal> {
    if (request.method !== 'POST') return NO_POST;
    const signed = signedBy(request.headers);
    if (signed === null) return { code: 'signature_missing', detail: 'webhook-id, webhook-timestamp or webhook-signature is missing' };
    const { toleranceMs = 300_000 } = this.options;
    if (!isOfNow(signed, this.now(), toleranceMs)) return { code: 'timestamp_out_of_range', detail: `webhook-timestamp is more than ${String(toleranceMs)} ms from this machine's time` };
    const body = await readBody(request, this.maxBodyBytes);
    if (body === null) return { code: 'body_too_large', detail: `the body has more than ${String(this.maxBodyBytes)} bytes (maxBodyBytes)` };
    if (!this.secrets.haveSigned(signed, body)) return { code: 'signature_wrong', detail: 'it is signed with another secret, or the body is not as it was sent' };
    const value = parsed(body);
    if (value === undefined) return { code: 'invalid_json', detail: 'the body is no JSON' };
    return messageOf(value) ?? { code: 'invalid_event', detail: 'the body is no event of Jobwarden’s' };
  }

  private async deal(message: Message): Promise<Outcome | Refusal> {
    const key = keyOf(message);
    try {
      const begun = await this.deliveries.begin(key);
      if (begun === 'done') return 'copy';
      if (begun === 'busy') return { code: 'in_progress', detail: `${key} is being dealt with` };
    } catch (error) {
      return { code: 'store_failed', detail: textOf(error) };
    }
    try {
      await this.call(message);
    } catch (error) {
      // It comes again in any case; a store that does not know so lets its `busy` pass.
      await this.deliveries.failed(key).catch(() => undefined);
      return { code: 'handler_failed', detail: `${key}: ${textOf(error)}` };
    }
    try {
      await this.deliveries.done(key);
      return message.kind === 'enqueue' ? 'enqueued' : message.kind === 'stop' ? 'stopped' : 'event';
    } catch (error) {
      return { code: 'store_failed', detail: textOf(error) };
    }
  }

  private async call(message: Message): Promise<void> {
    const { onEnqueue, onStop, onEvent } = this.options;
    if (message.kind === 'enqueue') await onEnqueue(message.command);
    else if (message.kind === 'stop') await onStop?.(message.command);
    else await onEvent?.(message.event);
  }

  private count(outcome: Outcome): void {
    this.counts[outcome] = (this.counts[outcome] ?? 0) + 1;
  }

  /** Once a minute and code: anybody can send what is refused. */
  private warn({ code, detail }: Refusal): void {
    const { logger = stderrLogger } = this.options;
    const warnedMs = this.warnedMs.get(code);
    if (warnedMs !== undefined && this.now() - warnedMs < WARN_EVERY_MS) return;
    this.warnedMs.set(code, this.now());
    logger.warn(`a webhook was refused (${code}): ${detail}`);
  }
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown;
  } catch {
    return undefined;
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
