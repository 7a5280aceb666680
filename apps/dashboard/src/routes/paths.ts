/**
 * Addresses of the pages. The service answers each of these patterns with the dashboard: a new one must stand in
 * `apps/server/src/http/dashboard-pages.ts` as well, and a test compares the two.
 */
export const PATTERNS = {
  overview: '/',
  jobs: '/jobs',
  job: '/jobs/one',
  stuck: '/stuck',
  deadLetters: '/dead-letters',
  pattern: '/dead-letters/patterns/:id',
  redrive: '/dead-letters/redrives/:id',
  incidents: '/incidents',
  incident: '/incidents/:id',
  postmortem: '/incidents/:id/postmortem',
} as const;

export interface JobRef {
  readonly namespace: string;
  readonly queue: string;
  readonly id: string;
}

export interface JobFilter {
  readonly namespace?: string | undefined;
  readonly queue?: string | undefined;
  readonly status?: string | undefined;
  readonly kind?: string | undefined;
  readonly worker?: string | undefined;
  readonly id?: string | undefined;
  readonly since?: string | undefined;
}

/** Names that others chose go into the query, never into the path: `..`, `/` and `%2f` mean nothing there. */
function withQuery(path: string, members: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) if (value !== undefined && value !== '') query.set(name, value);
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}

interface Within {
  readonly namespace?: string | undefined;
}

export const pathTo = {
  overview: (where: Within & { readonly attention?: 'yes'; readonly sort?: string } = {}) => withQuery(PATTERNS.overview, { ...where }),
  jobs: (filter: JobFilter = {}) => withQuery(PATTERNS.jobs, { ...filter }),
  job: ({ namespace, queue, id }: JobRef) => withQuery(PATTERNS.job, { namespace, queue, id }),
  stuck: (where: Within & { readonly queue?: string; readonly tab?: string } = {}) => withQuery(PATTERNS.stuck, { ...where }),
  /** Of one dead letter: its list, opened at this one. */
  deadLetter: ({ namespace, queue, id }: JobRef) => withQuery(PATTERNS.deadLetters, { namespace, queue, id }),
  deadLetters: (where: Within & { readonly queue?: string } = {}) => withQuery(PATTERNS.deadLetters, { ...where }),
  pattern: (id: string, { namespace }: Within = {}) => withQuery(`/dead-letters/patterns/${encodeURIComponent(id)}`, { namespace }),
  redrive: (id: string, { namespace }: Within = {}) => withQuery(`/dead-letters/redrives/${encodeURIComponent(id)}`, { namespace }),
  incidents: (where: Within & { readonly tab?: string; readonly queue?: string; readonly cause?: string; readonly state?: string; readonly incident?: string } = {}) => withQuery(PATTERNS.incidents, { ...where }),
  incident: (id: string) => `/incidents/${encodeURIComponent(id)}`,
  postmortem: (id: string) => `/incidents/${encodeURIComponent(id)}/postmortem`,
};
