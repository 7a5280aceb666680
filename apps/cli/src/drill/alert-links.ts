import { DRILL_MARK } from '#libs/domain';
import type { IncidentDeliveryView, IncidentDetail, SignalView } from '#libs/contracts';
import type { AlertWay, Fault } from './alert-way.js';
import type { Chain } from './chain.js';
import { OF_DRILLS } from './synthetic.js';

/** What follows once an alert has been handed over. */
export const ALERT_LINKS = ['signal', 'incident', 'stream', 'page', 'end', 'all-clear'] as const;

const REFUSED: ReadonlySet<IncidentDeliveryView['state']> = new Set(['refused', 'parked']);

/** From an alert to the pager, and back to the all-clear. */
export class AlertLinks {
  incidentId: string | null = null;
  private over = false;
  private readonly paged = new Map<string, boolean>();

  constructor(
    private readonly chain: Chain,
    private readonly way: AlertWay,
    /** What the stream of incidents has told so far. */
    private readonly streamed: () => string,
  ) {}

  async run(): Promise<void> {
    if ((await this.way.fire()) && (await this.arrived()) && (await this.signal()) && (await this.incident())) await Promise.all([this.stream(), this.pages()]);
  }

  private async pages(): Promise<void> {
    await this.told('opened', 'page');
    if (await this.end()) await this.told('resolved', 'all-clear');
  }

  async clean(): Promise<boolean> {
    return await this.way.clean(this.over);
  }

  /** Only where somebody else was to send it. */
  private async arrived(): Promise<boolean> {
    const { chain } = this;
    const { arrival } = this.way;
    if (arrival === null) return true;
    if ((await chain.watch(() => this.found())) === null) {
      this.broken(arrival.link, await arrival.astray());
      return false;
    }
    chain.tell(arrival.link, 'ok', 'it has come to Jobwarden by its webhook');
    return true;
  }

  private async found(): Promise<SignalView | null> {
    const fingerprint = await this.way.fingerprint();
    const items = ((await this.chain.get('v1/signals', { queue: OF_DRILLS.queue }))?.['items'] ?? []) as readonly SignalView[];
    return items.find((signal) => signal.fingerprint === fingerprint) ?? null;
  }

  private async signal(): Promise<boolean> {
    const { chain } = this;
    const found = await chain.watch(async () => {
      const signal = await this.found();
      return signal !== null && (signal.incidentId !== null || signal.settled !== null) ? signal : null;
    });
    if (found !== null && found.incidentId !== null) {
      this.incidentId = found.incidentId;
      chain.tell('signal', 'ok', `led to incident ${this.incidentId}`);
      return true;
    }
    this.broken('signal', unheeded(found?.settled ?? null));
    return false;
  }

  private broken(link: string, { says, mend }: Fault): void {
    this.chain.tell(link, 'broken', says, mend);
  }

  private async look(): Promise<IncidentDetail | null> {
    return (await this.chain.get(`v1/incidents/${this.incidentId ?? ''}`)) as IncidentDetail | null;
  }

  private async incident(): Promise<boolean> {
    const { chain } = this;
    const told = await chain.watch(async () => {
      const incident = await this.look();
      return incident?.steps.some(({ type }) => type === 'would-have') === true ? incident : null;
    });
    if (told === null) chain.tell('incident', 'broken', 'its run does not begin', 'Does a replica of the role work run? Its log tells why runs are not driven.');
    else if (told.run?.dryRun !== true || !told.run.drill || !told.summary.startsWith(DRILL_MARK)) chain.tell('incident', 'broken', 'it is not marked as a drill', 'Is the service older than this command?');
    else chain.tell('incident', 'ok', 'opened as a dry run, and marked as a drill');
    return true;
  }

  private async stream(): Promise<void> {
    const { chain } = this;
    const said = `"incidentId":${JSON.stringify(this.incidentId)}`;
    const seen = await chain.watch(() => Promise.resolve(this.streamed().includes(said) ? true : null));
    if (seen !== null) chain.tell('stream', 'ok', 'GET /v1/streams/incidents told it');
    else chain.tell('stream', 'broken', 'GET /v1/streams/incidents has not told it', 'A token that is bound to namespaces is not told of it. Does a proxy hold answers back?');
  }

  /** One link for each webhook. */
  private async told(type: 'opened' | 'resolved', link: 'page' | 'all-clear'): Promise<void> {
    const { chain } = this;
    const seen = new Map<string, IncidentDeliveryView>();
    await chain.watch(async () => {
      const answer = await chain.get(`v1/incidents/${this.incidentId ?? ''}/deliveries`);
      if (answer === null) return null;
      const items = (answer['items'] as readonly IncidentDeliveryView[]).filter((item) => item.type === type);
      items.forEach((item, i) => seen.set(`${link} of ${item.host ?? item.format}${named(items, item) === 1 ? '' : ` (${String(i + 1)})`}`, item));
      return [...seen].every(([name, { state }]) => state === 'delivered' || REFUSED.has(state) || this.pageFailed(name)) ? true : null;
    }, link === 'page' ? 0.5 : 1);
    if (seen.size === 0) chain.tell(link, 'left-out', 'no webhook with incidents is in the policy file');
    else chain.replace(link, [...seen.keys()]);
    for (const [name, item] of seen) this.tellDelivery(name, link, item);
  }

  private tellDelivery(name: string, link: 'page' | 'all-clear', { state, lastError, tries }: IncidentDeliveryView): void {
    const { chain } = this;
    const delivered = state === 'delivered';
    if (link === 'page') this.paged.set(name, delivered);
    if (delivered) chain.tell(name, 'ok', 'delivered');
    else if (this.pageFailed(name)) chain.tell(name, 'left-out', 'waits behind its page');
    else if (REFUSED.has(state)) chain.tell(name, 'broken', `${lastError ?? state} (try ${String(tries)})`, 'The receiver does not take it: look at its log, its address and its secret. It is tried again by itself.');
    else chain.tell(name, 'broken', 'it has not been sent', 'Does a replica of the role work run, with JOBWARDEN_ACTIONS=on? GET /v1/parked tells what waits.');
  }

  private pageFailed(name: string): boolean {
    return name.startsWith('all-clear') && this.paged.get(name.replace('all-clear', 'page')) === false;
  }

  private async end(): Promise<boolean> {
    const { chain, way } = this;
    await chain.watch(async () => ((await way.resolve()) ? true : null));
    const over = await chain.watch(async () => ((await this.look())?.status === 'resolved' ? true : null));
    this.over = over !== null;
    if (this.over) chain.tell('end', 'ok', 'the alert was resolved, and the incident with it');
    else this.broken('end', way.staysOpen);
    return this.over;
  }
}

function unheeded(settled: SignalView['settled']): Fault {
  switch (settled) {
    case 'maintenance':
      return { says: 'a maintenance window silences it', mend: 'A real alert would be silenced as well: jobwarden maintenance lists the windows.' };
    case 'queue_unknown':
      return { says: 'it found no queue of drills', mend: 'The token by which Alertmanager calls must be of every namespace, or of jobwarden-drill as well.' };
    case null:
      return { says: 'nobody has taken it up', mend: 'Does a replica of the role work run? Its log tells why signals are not looked at.' };
    default:
      return { says: `it was settled: ${settled}`, mend: 'docs/saturation.md tells when a signal leads to nothing.' };
  }
}

function named(items: readonly IncidentDeliveryView[], of: IncidentDeliveryView): number {
  return items.filter(({ host, format }) => host === of.host && format === of.format).length;
}
