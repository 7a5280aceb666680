import type { Ticket } from '../../ticket.js';

/** What the shop and a worker of the library say to each other over the pipe between them. */
export type ToShopWorker =
  | { readonly kind: 'run'; readonly ticket: Ticket }
  /** Take nothing more. `now`: let go of what is running, too. */
  | { readonly kind: 'finish'; readonly now: boolean };

export type FromShopWorker =
  /** Idle: the next ticket, please. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly id: string; readonly said: string }
  /** It may not be begun by this worker now: others, or later. */
  | { readonly kind: 'back'; readonly ticket: Ticket }
  /** This release is out of service, or in again. */
  | { readonly kind: 'release'; readonly state: 'refused' | 'admitted' };
