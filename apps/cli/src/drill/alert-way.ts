import type { AlertsAnswer } from '#libs/contracts';
import type { Chain } from './chain.js';
import { alerts } from './synthetic.js';

export interface Fault {
  readonly says: string;
  readonly mend: string;
}

export interface Arrival {
  readonly link: string;
  /** Why it has not arrived in time. */
  astray(): Promise<Fault>;
}

/** By which way the alert of a drill comes to Jobwarden. */
export interface AlertWay {
  /** Its links, up to where it has been handed over. */
  readonly links: readonly string[];
  /** Sends the alert, and tells its links; false: one of them is broken. */
  fire(): Promise<boolean>;
  /** By which the signal is known that has come of it; null: not known. */
  fingerprint(): Promise<string | null>;
  /** The link by which it arrives; null: whoever hands it over sees that it does. */
  readonly arrival: Arrival | null;
  /** Says that the alert is over. Repeatable; true where it has been said, or there is nothing to say. */
  resolve(): Promise<boolean>;
  /** What is wrong where that does not end the incident. */
  readonly staysOpen: Fault;
  /** Ends what the way has left behind. `over`: the incident has ended by it. */
  clean(over: boolean): Promise<boolean>;
}

/** As Alertmanager would call it, by this command itself. */
export class DirectWay implements AlertWay {
  readonly links = ['alert'];
  readonly arrival = null;
  readonly staysOpen = { says: 'the incident stays open', mend: 'It resolves itself ten minutes after it was opened; the log of the role work tells why not now.' };
  private sent = false;

  constructor(
    private readonly chain: Chain,
    private readonly drill: string,
    private readonly startsAt: string,
  ) {}

  async fire(): Promise<boolean> {
    const { chain } = this;
    const answer = await chain.watch(() => {
      this.sent = true;
      return chain.post('v1/alerts', alerts(this.drill, 'firing', this.startsAt));
    });
    const [result] = (answer as AlertsAnswer | null)?.results ?? [];
    const taken = result?.outcome === 'signal' || result?.outcome === 'repeated';
    if (taken) chain.tell('alert', 'ok', 'POST /v1/alerts took what Alertmanager would send');
    else chain.tell('alert', 'broken', `${result?.outcome ?? 'no answer'}: ${result?.detail ?? result?.reason ?? 'POST /v1/alerts'}`, 'docs/rest.md tells what an alert needs.');
    return taken;
  }

  fingerprint(): Promise<string> {
    return Promise.resolve(`drill-${this.drill}`);
  }

  async resolve(): Promise<boolean> {
    if (!this.sent) return true;
    return (await this.chain.post('v1/alerts', alerts(this.drill, 'resolved', this.startsAt))) !== null;
  }

  async clean(): Promise<boolean> {
    return await this.resolve();
  }
}
