import type { IncidentDeliveryView } from '#libs/contracts';
import type { PublishedStep, PublishingReport } from '../ports/publishing-report.port.js';
import type { WebhookDirectory, WebhookEndpoint, WebhookFormat } from '../ports/webhooks.port.js';
import type { StoredIncident } from '../ports/incident-store.port.js';
import { webhooksFor } from './webhook-match.js';


/** One step of an incident at one of the webhooks that are told of it. */
export interface IncidentDelivery {
  readonly n: number;
  readonly type: string;
  /** Host and port alone: a path may be a secret. null: the address is the secret. */
  readonly host: string | null;
  readonly format: WebhookFormat;
  /** `unsent`: not out yet, or kept no more. `refused`: tried without success, and tried again. */
  readonly state: IncidentDeliveryView['state'];
  readonly tries: number;
  readonly lastError: string | null;
}

/** Whether the pages of an incident have arrived, at the webhooks of the policy in force. */
export class IncidentDeliveries {
  constructor(
    private readonly report: Pick<PublishingReport, 'ofIncident'>,
    private readonly webhooks: WebhookDirectory,
  ) {}

  async of({ id, queue, steps }: StoredIncident): Promise<readonly IncidentDelivery[]> {
    const published = new Map((await this.report.ofIncident(id)).map((step) => [step.n, step]));
    const list = this.webhooks.list();
    return steps.flatMap((step) => {
      const names = new Set(webhooksFor(list, 'incident', queue === null ? null : [queue.queue], step));
      return list.filter(({ name }) => names.has(name)).map((webhook) => deliveryOf(step, webhook, published.get(step.n)));
    });
  }
}

function deliveryOf({ n, type }: StoredIncident['steps'][number], { name, url, format }: WebhookEndpoint, step: PublishedStep | undefined): IncidentDelivery {
  const of = { n, type, host: url === null || !URL.canParse(url) ? null : new URL(url).host, format };
  if (step === undefined) return { ...of, state: 'unsent', tries: 0, lastError: null };
  const open = step.open.find((one) => one.webhook === name);
  if (open === undefined) return { ...of, state: 'delivered', tries: 0, lastError: null };
  const { tries, detail: lastError, parked } = open;
  return { ...of, state: parked ? 'parked' : lastError === null ? 'waiting' : 'refused', tries, lastError };
}
