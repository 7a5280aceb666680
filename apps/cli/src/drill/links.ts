import { table } from '../terminal/table.js';

/** `left-out`: it could not be tried, or there is nothing to try; it counts for neither. */
export type LinkState = 'ok' | 'broken' | 'left-out';

/** One link of the chain from an event to a pager. */
export interface Link {
  readonly link: string;
  readonly state: LinkState;
  /** Since the drill began; null: it was not tried. */
  readonly ms: number | null;
  readonly says: string;
  /** What to do about it; null: nothing. */
  readonly mend: string | null;
}

export interface DrillReport {
  readonly drill: string;
  readonly incidentId: string | null;
  readonly ok: boolean;
  readonly links: readonly Link[];
}

const SHOWN = { ok: 'ok', broken: 'BROKEN', 'left-out': 'left out' } as const;

/** A line for each link, with what to do below those that are broken. */
export function drillLines({ drill, incidentId, links }: DrillReport): readonly string[] {
  const rows = links.map(({ link, state, ms, says }) => [link, SHOWN[state], ms === null ? '-' : String(ms), says]);
  const [head = '', ...lines] = table(['LINK', 'STATE', 'MS', 'WHAT'], rows);
  const shown = lines.flatMap((line, i) => [line, ...mendOf(links[i])]);
  const broken = links.filter(({ state }) => state === 'broken').length;
  const end = broken === 0 ? 'Every link that was tried works.' : `${String(broken)} of ${String(links.length)} links ${broken === 1 ? 'is' : 'are'} broken.`;
  return [head, ...shown, `${end} Drill ${drill}${incidentId === null ? '' : `, incident ${incidentId}`}.`];
}

function mendOf(link: Link | undefined): readonly string[] {
  return link?.state === 'broken' && link.mend !== null ? [`    ${link.mend}`] : [];
}
