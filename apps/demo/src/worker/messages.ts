import type { Ticket } from '../ticket.js';

/** What parent and worker say to each other over the pipe between them. */
export type ToWorker =
  | { readonly kind: 'run'; readonly ticket: Ticket }
  /** Take nothing more. `now`: let go of what is running, too. */
  | { readonly kind: 'finish'; readonly now: boolean };

export type FromWorker =
  /** Idle: the next ticket, please. */
  | { readonly kind: 'ready' }
  /** Half of it is done. */
  | { readonly kind: 'half-way'; readonly id: string }
  /** The handler's result stands; Jobwarden has not heard of it yet. */
  | { readonly kind: 'stored'; readonly id: string; readonly value: string };
