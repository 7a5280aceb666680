import type { StuckNoticeView } from '#libs/contracts';
import type { Chain } from './chain.js';
import { OF_DRILLS } from './synthetic.js';

export const STUCK_LINK = 'stuck notice';
/** Between two looks, ms: it takes a minute. */
const LOOK_MS = 1_000;

/** From the verdict to whoever is told of stuck jobs: gathered for a minute, and then sent. */
export class StuckLink {
  constructor(
    private readonly chain: Chain,
    private readonly drill: string,
    private readonly wanted: boolean,
  ) {}

  /** `found`: the job was found stuck. */
  async run(found: boolean): Promise<void> {
    const { chain } = this;
    if (!this.wanted) {
      chain.tell(STUCK_LINK, 'left-out', 'stuck jobs are told once a minute: --stuck-notice waits for that');
      return;
    }
    if (!found) return;
    const told = new Map<string, StuckNoticeView>();
    await chain.watch(async () => {
      const answer = await chain.get('v1/jobs/one/notices', { ...OF_DRILLS, id: this.drill });
      const items = (answer?.['items'] ?? null) as readonly StuckNoticeView[] | null;
      if (items === null) return null;
      items.forEach((item, i) => told.set(nameOf(items, item, i), item));
      return items.every(({ state }) => state === 'delivered' || state === 'refused') ? true : null;
    }, 1, LOOK_MS);
    if (told.size === 0) chain.tell(STUCK_LINK, 'left-out', 'no webhook with stuck among its events is in the policy file');
    else chain.replace(STUCK_LINK, [...told.keys()]);
    for (const [name, item] of told) this.tell(name, item);
  }

  private tell(name: string, { state, tries }: StuckNoticeView): void {
    const { chain } = this;
    switch (state) {
      case 'delivered':
        chain.tell(name, 'ok', 'delivered');
        return;
      case 'refused':
        chain.tell(name, 'broken', `it was not acknowledged (try ${String(tries)})`, 'The receiver does not take it: its log, and the service’s, tell why. It is tried again by itself.');
        return;
      case 'waiting':
      case 'gathering':
        chain.tell(name, 'broken', 'it has not been sent', 'Does a replica of the role work run, with JOBWARDEN_ACTIONS=on? It takes a minute: give a --timeout above that.');
    }
  }
}

function nameOf(items: readonly StuckNoticeView[], { host, format }: StuckNoticeView, i: number): string {
  const alike = items.filter((one) => one.host === host && one.format === format).length;
  return `${STUCK_LINK} to ${host ?? format}${alike === 1 ? '' : ` (${String(i + 1)})`}`;
}
