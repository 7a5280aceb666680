import { phaseWord } from '../../kit/incident-words';
import type { Shape, Tone } from '../../kit/StatusText';
import { incidents } from '../../text/incidents';
import type { ListedIncident } from './incidents-queries';

const { asks: text } = incidents.list;

export interface Asks {
  readonly says: string;
  /** It waits for a person. */
  readonly somebody: boolean;
  readonly look: readonly [Tone, Shape];
}

/** As the API says it of a run that stands still for it. */
const STOP_SWITCH = 'the stop switch';

/** What an open incident asks of whoever is on call. */
export function asksOf({ run }: Pick<ListedIncident, 'run'>): Asks {
  if (run === undefined) return { says: text.look, somebody: true, look: ['bad', 'triangle'] };
  if (run.phase === 'escalated') return { says: text.person, somebody: true, look: ['bad', 'triangle'] };
  if (run.waitsFor === STOP_SWITCH) return { says: text.held, somebody: true, look: ['warn', 'hand'] };
  if (run.phase === 'waiting-for-approval') return { says: text.approve, somebody: true, look: ['warn', 'hand'] };
  return { says: text.nothing(phaseWord(run.phase)), somebody: false, look: ['busy', 'bolt'] };
}

export const asksSomebody = (incident: ListedIncident): boolean => incident.status === 'open' && asksOf(incident).somebody;

/** Those that ask for somebody first, else in their order: the newest first. */
export const urgentFirst = (incidents: readonly ListedIncident[]): readonly ListedIncident[] => incidents.toSorted((a, b) => Number(asksSomebody(b)) - Number(asksSomebody(a)));
