import type { ServiceClient } from '../rest/client.js';
import type { Chain } from './chain.js';
import { OF_DRILLS, stuckJob } from './synthetic.js';

export const JOB_LINKS = ['stop switch', 'event', 'log', 'verdict', 'metrics'] as const;

/** Longest wait for all metrics, ms. */
const METRICS_MS = 10_000;

type Items = readonly Readonly<Record<string, unknown>>[];

/** From an event to the verdict that its job is lost. */
export class JobLinks {
  private enabled = true;
  /** Verdicts that were counted before this drill; null: not known, and none can be told from them. */
  private before: number | null = null;

  constructor(
    private readonly chain: Chain,
    private readonly client: Pick<ServiceClient, 'read'>,
    private readonly drill: string,
  ) {}

  /** Also whether the token may do what follows, before anything is done. */
  async begin(): Promise<void> {
    const { chain } = this;
    await chain.post('v1/alerts', { version: '4', alerts: [] });
    this.before = await this.counted();
    const found = await chain.watch(() => chain.get('v1/actions'));
    this.enabled = found?.['enabled'] !== false;
    if (found === null) chain.tell('stop switch', 'broken', 'it cannot be read', 'Look at /readyz and the log of the service.');
    else if (this.enabled) chain.tell('stop switch', 'ok', 'actions are on');
    else chain.tell('stop switch', 'broken', `actions are off: ${String(found['reason'])}`, 'Nothing is done about any queue until they are on again: PUT /v1/actions {"enabled": true, "reason": …}.');
  }

  /** Whether its events are in the log: everything else stands on them. */
  async event(): Promise<boolean> {
    const { chain, drill } = this;
    const answer = await chain.watch(() => chain.post('v1/events', stuckJob(drill)));
    const results = (answer?.['results'] ?? []) as Items;
    const bad = results.find(({ outcome }) => outcome !== 'appended' && outcome !== 'duplicate');
    if (results.length === 0 || bad !== undefined) {
      chain.tell('event', 'broken', bad === undefined ? 'POST /v1/events does not answer' : `${String(bad['outcome'])}: ${String(bad['detail'] ?? bad['code'])}`, 'docs/troubleshooting.md tells what keeps events out.');
      return false;
    }
    chain.tell('event', 'ok', 'POST /v1/events took a job that begins and falls silent');
    return true;
  }

  async log(): Promise<void> {
    const { chain, drill } = this;
    const job = await chain.watch(async () => (await chain.get('v1/jobs/one', { ...OF_DRILLS, id: drill })) ?? null);
    if (job === null) chain.tell('log', 'broken', 'the job cannot be read', 'What was taken must be readable at once: look at the database, and at jobwarden audit.');
    else chain.tell('log', 'ok', `the job is ${String(job['status'])}`);
  }

  /** Whether the job was found stuck. */
  async verdict(): Promise<boolean> {
    const { chain, drill } = this;
    if (!this.enabled) {
      for (const link of ['verdict', 'metrics']) chain.tell(link, 'left-out', 'nothing is decided while actions are off');
      return false;
    }
    const verdict = await chain.watch(async () => {
      const items = ((await chain.get('v1/verdicts', OF_DRILLS))?.['items'] ?? []) as Items;
      return items.find(({ id }) => id === drill) ?? null;
    });
    if (verdict === null) {
      chain.tell('verdict', 'broken', 'nobody has noticed that the worker is silent', 'Does a replica of the role work run, and is the clock a real one? GET /v1/reconciliations tells when it looked last.');
      return false;
    }
    chain.tell('verdict', 'ok', `${String(verdict['verdict'])}, at ${String(verdict['level'])}: nothing was done`);
    const risen = await chain.watch(async () => (this.before !== null && ((await this.counted()) ?? 0) > this.before ? true : null));
    if (risen !== null) chain.tell('metrics', 'ok', 'GET /metrics counts the verdict');
    else chain.tell('metrics', 'broken', 'GET /metrics does not count the verdict', 'Each replica counts its own: behind a load balancer ask each. limits.queueLabels may be used up.');
    return true;
  }

  /** Verdicts of the drills' queue, as the replica that answers counts them; null: it does not answer. */
  private async counted(): Promise<number | null> {
    const answer = await this.client.read('metrics', {}, METRICS_MS);
    if (answer.kind !== 'ok') return null;
    const chunks: Uint8Array[] = [];
    try {
      for await (const chunk of answer.body) chunks.push(chunk);
    } catch {
      return null;
    }
    const found = Buffer.concat(chunks).toString('utf8').matchAll(/^jobwarden_verdicts_total\{([^}]*)\} (\d+)/gmu);
    return [...found].filter(([, labels]) => labels?.includes(`queue="${OF_DRILLS.queue}"`)).reduce((sum, [, , count]) => sum + Number(count), 0);
  }
}
