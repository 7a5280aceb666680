import { fromData, type Known } from './from-data.js';

/** An item of a checklist: what is asked, and what the data say of it. */
export interface ChecklistItem {
  /** Named so in paths; never changed, since answers are kept under it. */
  readonly id: string;
  readonly asks: string;
  /** What data can say. `settles: false`: figures for the person who answers. null: nothing. */
  readonly knows: ((known: Known) => FromData | null) | null;
}

export interface FromData {
  readonly says: string;
  readonly figures: Readonly<Record<string, number | string>>;
  readonly settles: boolean;
}

export interface Checklist {
  readonly id: 'hardening' | 'review';
  readonly title: string;
  readonly items: readonly ChecklistItem[];
}

/** Both are answered before a postmortem can be signed: by the data where they can, else by a person. */
export const CHECKLISTS: readonly Checklist[] = [
  {
    id: 'hardening',
    title: 'Would it happen again?',
    items: [
      { id: 'poison-message', asks: 'Was there a poison message, and was it found?', knows: fromData.poisonMessage },
      { id: 'circuit-breakers', asks: 'Do all remote calls of these jobs have a circuit breaker?', knows: fromData.remoteFailures },
      { id: 'timeouts', asks: 'Do parsing and queries have timeouts?', knows: fromData.hung },
      { id: 'heap-and-stacks', asks: 'Are a heap and the stacks of a bad worker kept, and were they looked at?', knows: fromData.heapAndStacks },
      { id: 'failure-payload-test', asks: 'Is there a test in the build that runs the payload that failed?', knows: fromData.payloads },
    ],
  },
  {
    id: 'review',
    title: 'How did it go?',
    items: [
      { id: 'latency-depth-retries', asks: 'Are latency, depth and the spike of retries recorded?', knows: fromData.recorded },
      { id: 'traces-and-gaps', asks: 'Which attempts began and never ended, and what could not be seen?', knows: fromData.gaps },
      { id: 'dead-letter-pattern', asks: 'What was dead-lettered, and is there one pattern in it?', knows: fromData.deadLetters },
      { id: 'caches-and-races', asks: 'Were caches invalidated before jobs ran again, and did two workers write to one job?', knows: fromData.races },
      { id: 'restart-and-fallback', asks: 'How did restart and fallback go?', knows: fromData.restart },
      { id: 'response-plan', asks: 'Are the response plan and the lessons up to date?', knows: null },
      { id: 'monitoring', asks: 'Has monitoring been looked at again: did the right alert come, and in time?', knows: fromData.alerts },
    ],
  },
];

export const POSTMORTEM_ITEMS: readonly string[] = CHECKLISTS.flatMap(({ items }) => items.map(({ id }) => id));
