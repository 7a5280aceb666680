import type { Api, CloudEvent } from './api.js';
import type { Command } from './commands.js';

/** The shipped service, and a way in and out. */
export interface Stage {
  readonly api: Api;
  /** How many rows of the history stand for one, unless the whole is wanted. */
  readonly oneIn: number;
  /** Resolves when the events are in the log. */
  send(events: readonly CloudEvent[]): Promise<void>;
  readonly commands: {
    enqueues(): readonly Command[];
    /** Waits until `count` enqueue commands have come. */
    until(count: number): Promise<void>;
  };
  /** Called with the share of the history that has been sent: what else is to happen meanwhile. */
  at?(share: number): Promise<void>;
}
