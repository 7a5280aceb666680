import { incidentWords } from '../../text/incident-words';

export const CAUSES = Object.keys(incidentWords.cause) as readonly Cause[];
export type Cause = keyof typeof incidentWords.cause;
export type State = 'open' | 'resolved';

export interface Filters {
  readonly state?: State;
  readonly queue?: string;
  readonly cause?: Cause;
}

/** Of the address; what means nothing there is passed over. */
export function filtersOf(query: URLSearchParams): Filters {
  const state = query.get('state');
  const queue = query.get('queue');
  const cause = CAUSES.find((word) => word === query.get('cause'));
  return {
    ...((state === 'open' || state === 'resolved') && { state }),
    ...(queue !== null && queue !== '' && { queue }),
    ...(cause !== undefined && { cause }),
  };
}

export const isFiltered = (filters: Filters): boolean => Object.keys(filters).length > 0;
