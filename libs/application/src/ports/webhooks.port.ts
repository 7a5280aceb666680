import type { JobStatus } from '#libs/domain';
import type { MessageKind } from './outbound-store.port.js';

/** How messages go out: `standard` as signed CloudEvents, the others as one page, one more for each escalation, and one all-clear for each incident. */
export type WebhookFormat = 'standard' | 'pagerduty' | 'slack';

/** A webhook of the policy file, with its secret at hand. */
export interface WebhookEndpoint {
  /** Stable over restarts and reloads: deliveries that wait are found again by it. */
  readonly name: string;
  readonly format: WebhookFormat;
  /** null: it is the secret. */
  readonly url: string | null;
  readonly secret: { reveal(): string };
  readonly events: readonly ('commands' | 'incidents' | 'stuck')[];
  /** null = every queue. */
  readonly queues: readonly string[] | null;
}

/** The webhooks in force. Answers from memory; may change with the policy file. */
export interface WebhookDirectory {
  list(): readonly WebhookEndpoint[];
}

export interface WebhookRequest {
  readonly format: WebhookFormat;
  /** null: it is the secret. */
  readonly url: string | null;
  readonly secret: { reveal(): string };
  /** `webhook-id`: the message's own, the same at each try. */
  readonly id: string;
  /** The CloudEvent (JSON). */
  readonly body: string;
}

export type WebhookAnswer = { readonly ok: true } | { readonly ok: false; readonly detail: string };

/** One try. Never throws for what the receiver does; `interrupted` when `signal` ended it. */
export interface WebhookSender {
  send(request: WebhookRequest, signal: AbortSignal): Promise<WebhookAnswer | 'interrupted'>;
}

/**
 * Deliveries that a webhook has not acknowledged yet. A row is claimed for a time before it is sent, so no transaction
 * is open while a receiver is slow; a replica that dies leaves its claims to the others when that time has passed.
 */
export interface DeliveryStore {
  /**
   * Claims what is due on one webhook, the oldest of each job only, and counts a try for each. Only incidents while the
   * stop switch is off. Rows that another replica is claiming are passed over.
   */
  claim(webhook: string, limit: number, claimMs: number): Promise<readonly ClaimedDelivery[]>;
  /** Acknowledged, or no longer true: the row goes. false: the claim had passed to somebody else. */
  finish(delivery: ClaimedDelivery): Promise<boolean>;
  /** Tries again after `inMs`; `counted: false` takes the try back. */
  postpone(
    delivery: ClaimedDelivery,
    again: { readonly inMs: number; readonly detail: string | null; readonly counted: boolean },
  ): Promise<void>;
  /** Waits for an operator, and so does what is behind it of the same job on the same webhook. */
  park(delivery: ClaimedDelivery, detail: string): Promise<void>;
}

export interface ClaimedDelivery {
  readonly webhook: string;
  readonly shard: number;
  readonly number: number;
  readonly kind: MessageKind;
  readonly keyHex: string;
  /** This one included. */
  readonly tries: number;
  readonly claim: string;
  readonly laneMs: number;
  readonly message: string;
  /** What the job's row says now; null when it is gone. */
  readonly job: { readonly status: JobStatus; readonly attempt: number } | null;
}
