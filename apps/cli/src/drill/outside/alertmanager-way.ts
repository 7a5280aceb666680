import { DRILL_MARK } from '#libs/domain';
import type { AlertWay, Fault } from '../alert-way.js';
import type { Chain } from '../chain.js';
import { alerts, LABELS } from '../synthetic.js';
import { mendOf, type OutsideAnswer, type OutsideClient } from './outside-client.js';

interface ShownAlert {
  readonly fingerprint?: string;
  readonly receivers?: readonly ({ readonly name?: string | null } | null)[] | null;
  readonly status?: { readonly state?: string; readonly silencedBy?: readonly string[] | null; readonly inhibitedBy?: readonly string[] | null } | null;
}

export interface AlertmanagerWayParts {
  readonly chain: Chain;
  readonly client: OutsideClient;
  readonly drill: string;
  readonly startsAt: string;
  /** After which an alert of a command that was killed is over by itself, ms. */
  readonly endsAfterMs: number;
}

type Taken = Extract<OutsideAnswer, { kind: 'ok' }>;

const OPTION = '--alertmanager';
/** What it and those who speak as it say when they are ready; a login page says more. */
const READY = /^(?:OK|[^<]{0,60}\bready\b[^<]{0,20})$/iu;
const EXAMPLE = 'deploy/prometheus/alertmanager.yaml';

/** By the real Alertmanager and whatever its configuration does with such an alert: grouped, routed, sent by its webhook, and over the same way. */
export class AlertmanagerWay implements AlertWay {
  readonly links = ['alertmanager', 'alert', 'route'];
  readonly arrival = { link: 'route', astray: () => this.astray() };
  readonly staysOpen = {
    says: 'Alertmanager has not said in time that the alert is over',
    mend: `Its receiver needs send_resolved: true, and the route a group_interval below --timeout: ${EXAMPLE}. The incident ends by itself within ten minutes.`,
  };
  private known: string | null = null;
  private failedBefore = 0;
  private sent = false;

  constructor(private readonly parts: AlertmanagerWayParts) {}

  async fire(): Promise<boolean> {
    const { chain, client, endsAfterMs } = this.parts;
    const ready = await this.asked('alertmanager', () => client.get('-/ready'));
    if (ready === null) return false;
    if (!READY.test(ready.text.trim())) {
      chain.tell('alertmanager', 'broken', 'it answers, but not as an Alertmanager', `See ${OPTION}: is that the page of a proxy that asks who calls?`);
      return false;
    }
    chain.tell('alertmanager', 'ok', `${client.host} is ready`);
    this.failedBefore = (await this.failed()) ?? 0;
    const taken = await this.asked('alert', () => {
      this.sent = true;
      return this.post(new Date(Date.now() + endsAfterMs));
    });
    if (taken !== null) chain.tell('alert', 'ok', `${client.host} took it, with action: ${LABELS.action}`);
    return taken !== null;
  }

  async fingerprint(): Promise<string | null> {
    this.known ??= (await this.shown())?.fingerprint ?? null;
    return this.known;
  }

  private async astray(): Promise<Fault> {
    const shown = await this.shown();
    const { state, silencedBy, inhibitedBy } = shown?.status ?? {};
    if (state === 'suppressed') {
      const silences = [silencedBy ?? []].flat();
      const by = silences.length > 0 ? `the silence ${silences.join(', ')}` : `the alert ${[inhibitedBy ?? []].flat().join(', ')}, which inhibits it`;
      return { says: `Alertmanager holds it back by ${by}`, mend: 'A real alert would be held back as well: end the silence, or narrow what it matches.' };
    }
    const to = [shown?.receivers ?? []].flat().flatMap((receiver) => receiver?.name ?? []).join(', ');
    const failed = (await this.failed()) ?? 0;
    if (failed > this.failedBefore) {
      return { says: `Alertmanager could not hand it over; it went to ${to}`, mend: `Its log tells what its webhook was answered. The url of the receiver has to end in /v1/alerts, and its token (credentials_file) to have the scope operate: ${EXAMPLE}.` };
    }
    return {
      says: `it has not come to Jobwarden; Alertmanager gave it to ${to === '' ? 'nobody' : to}`,
      mend: `Does the route with the matcher action = "trigger-rollback" come first, and lead to a webhook that is this Jobwarden's /v1/alerts? Is its group_wait below --timeout? ${EXAMPLE} is one that does.`,
    };
  }

  async resolve(): Promise<boolean> {
    if (this.sent) this.sent = (await this.post(new Date())).kind !== 'ok';
    return !this.sent;
  }

  /** What Alertmanager did not tell of is told here, so that no signal stands for an hour. */
  async clean(over: boolean): Promise<boolean> {
    const done = await this.resolve();
    const fingerprint = over ? null : this.known;
    if (fingerprint === null) return done;
    const { chain, drill, startsAt } = this.parts;
    return (await chain.post('v1/alerts', alerts(drill, 'resolved', startsAt, fingerprint))) !== null && done;
  }

  private async post(endsAt: Date): Promise<OutsideAnswer> {
    const { client, drill, startsAt } = this.parts;
    const summary = `${DRILL_MARK}: an exercise of jobwarden drill. Nothing is wrong, and nothing is to be done`;
    return await client.post('api/v2/alerts', [{ labels: { ...LABELS, drill_id: drill }, annotations: { summary }, startsAt, endsAt: endsAt.toISOString() }]);
  }

  private async asked(link: string, call: () => Promise<OutsideAnswer>): Promise<Taken | null> {
    const { chain } = this.parts;
    let last: OutsideAnswer | null = null;
    await chain.watch(async () => {
      last = await call();
      return last.kind === 'ok' || (last.kind === 'refused' && last.status < 500) ? last : null;
    });
    return told(chain, link, last);
  }

  private async shown(): Promise<ShownAlert | null> {
    const { client, drill } = this.parts;
    const answer = await client.get('api/v2/alerts', { filter: `drill_id="${drill}"` });
    return answer.kind === 'ok' && Array.isArray(answer.body) ? ((answer.body as readonly ShownAlert[])[0] ?? null) : null;
  }

  /** What its webhooks were refused so far; null: it does not say. */
  private async failed(): Promise<number | null> {
    const answer = await this.parts.client.get('metrics');
    if (answer.kind !== 'ok') return null;
    const found = [...answer.text.matchAll(/^alertmanager_notification_requests_failed_total\{[^}]*integration="webhook"[^}]*\} (\S+)/gmu)];
    return found.length === 0 ? null : found.reduce((sum, [, count]) => sum + Number(count), 0);
  }
}

function told(chain: Chain, link: string, answer: OutsideAnswer | null): Taken | null {
  if (answer?.kind === 'ok') return answer;
  if (answer === null) chain.tell(link, 'broken', 'it was not asked in time', 'Give a longer --timeout.');
  else chain.tell(link, 'broken', answer.detail, mendOf(answer, OPTION));
  return null;
}
