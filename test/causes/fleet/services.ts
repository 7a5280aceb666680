import type { JobError } from '../log/entry.js';

/** How a call to a service goes wrong: after how long, and what the caller sees. */
export interface Outage {
  /** Share of calls that it hits. */
  readonly share: number;
  answer(): { readonly afterMs: number; readonly error: JobError };
}

/** What the fleet's jobs ask over the network. A service is well unless an outage is set. */
export class Services {
  private readonly outages = new Map<string, Outage>();

  fail(host: string, outage: Outage | null): void {
    if (outage === null) this.outages.delete(host);
    else this.outages.set(host, outage);
  }

  outageOf(host: string): Outage | undefined {
    return this.outages.get(host);
  }
}
