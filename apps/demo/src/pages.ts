import { QUEUE } from './settings.js';

/** Pages of the dashboard, for the lines that say where to look. */
export const PAGES = {
  overview: '/',
  stuck: '/stuck',
  shadow: '/stuck?tab=shadow',
  deadLetters: '/dead-letters',
  incidents: '/incidents',
  job: (id: string, queue: string = QUEUE): string => `/jobs/one?${new URLSearchParams({ namespace: 'default', queue, id }).toString()}`,
  deadLetter: (id: string, queue: string = QUEUE): string => `/dead-letters?${new URLSearchParams({ namespace: 'default', queue, id }).toString()}`,
  deadLettersOf: (queue: string): string => `/dead-letters?${new URLSearchParams({ queue }).toString()}`,
  incident: (id: string): string => `/incidents/${encodeURIComponent(id)}`,
  postmortem: (id: string): string => `/incidents/${encodeURIComponent(id)}/postmortem`,
} as const;
