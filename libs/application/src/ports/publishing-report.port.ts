import type { MessageKind } from './outbound-store.port.js';

/** How publishing stands, and what waits for an operator. */
export interface PublishingReport {
  /** By shard. */
  lag(): Promise<readonly ShardLag[]>;
  /** Messages that wait for an operator, those behind others included. */
  parkedCount(): Promise<number>;
  /** Messages that a webhook has not acknowledged at their first try, and that are sent again. */
  retryingCount(): Promise<number>;
  /**
   * What could not be delivered, newest first: of each job and target the first, the rest is only counted.
   * `installation`: also what is of no namespace, such as an incident's message; default false. Throws TerminalError
   * `cursor_invalid` for an `after` that no page gave out.
   */
  parked(
    scope: { readonly namespace: string; readonly queue?: string; readonly installation?: boolean },
    page: { readonly limit: number; readonly after: string | null },
  ): Promise<{ readonly items: readonly ParkedMessage[]; readonly next: string | null }>;
  /** Steps of an incident that are out and still kept, by number, each with the deliveries that nobody has acknowledged yet. */
  ofIncident(incidentId: string): Promise<readonly PublishedStep[]>;
  /**
   * Tries it, and what is behind it of the same job, again from the first one on; soon, not at once. Idempotent.
   * false: there is nothing parked under this id in this namespace.
   */
  retry(id: string, namespace: string, installation?: boolean): Promise<boolean>;
}

export interface PublishedStep {
  readonly n: number;
  readonly open: readonly { readonly webhook: string; readonly tries: number; /** What the last try met; null: there was none. */ readonly detail: string | null; readonly parked: boolean }[];
}

export interface ShardLag {
  readonly shard: number;
  /** Replica that holds it; null = none. */
  readonly holder: string | null;
  readonly checkpoint: number;
  /** Age of the oldest entry that is not yet published, ms of lane time; 0 = there is none. */
  readonly oldestMs: number;
}

export interface ParkedMessage {
  readonly id: string;
  /** ms since the epoch, the database's real clock. */
  readonly atMs: number;
  /** Of a job, or with an incident's id; without a namespace: of the whole installation. */
  readonly ref: { readonly namespace: string | null; readonly queue: string | null; readonly id: string };
  readonly kind: MessageKind;
  /** `stream`, or the webhook's name. */
  readonly target: string;
  readonly tries: number;
  readonly detail: string;
  /** Messages of the same job that wait behind it. */
  readonly behind: number;
}
