import type { MessageKind } from './outbound-store.port.js';

/** Told what publishing does, for metrics and logs. Must not throw. */
export interface PublishObserver {
  sent?(kind: MessageKind, count: number): void;
  skipped?(kind: MessageKind, why: string): void;
  parked?(kind: MessageKind, why: string): void;
  /** From taking a batch to its checkpoint, ms. */
  batch?(shard: number, entries: number, ms: number): void;
  leaseLost?(shard: number): void;
  delivered?(webhook: string, ok: boolean): void;
  /** It was not acknowledged, and is sent again after so long. */
  refused?(webhook: string, detail: string, again: { readonly inMs: number; readonly tries: number }): void;
  failed?(what: 'publish' | 'lease' | 'stream' | 'webhook', error: unknown): void;
}
