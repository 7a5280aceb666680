/** Addresses that the dashboard answers; it looks at the rest of the address by itself. The same as in `apps/dashboard/src/routes/paths.ts`. */
export const DASHBOARD_PAGES = [
  '/',
  '/jobs',
  '/jobs/one',
  '/stuck',
  '/dead-letters',
  '/dead-letters/patterns/:id',
  '/dead-letters/redrives/:id',
  '/incidents',
  '/incidents/:id',
  '/incidents/:id/postmortem',
] as const;
