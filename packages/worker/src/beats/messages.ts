import type { LockWait, Worker } from '@jobwarden/client';
import type { BeatAnswers, Held } from './held.js';

/** What the thread is started with. */
export interface ThreadData {
  readonly shared: SharedArrayBuffer;
  readonly address: Address;
  readonly namespace: string;
  readonly worker: Worker;
  readonly leaseMs: number;
  readonly maxBlockedMs: number;
  readonly tickMs: number;
}

export interface Address {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type ToThread =
  /** `untilMs`: not beaten for beyond, by the shared clock; 0 = no end. */
  | { readonly kind: 'hold'; readonly key: string; readonly held: Held; readonly untilMs: number }
  | { readonly kind: 'let-go'; readonly key: string }
  | { readonly kind: 'locks'; readonly waits: readonly LockWait[] }
  | { readonly kind: 'address'; readonly address: Address };

export type FromThread =
  /** `sentMs`: when the beat was sent, by the shared clock. */
  | { readonly kind: 'answered'; readonly sentMs: number; readonly answers: BeatAnswers }
  | { readonly kind: 'failed'; readonly reason: string };
