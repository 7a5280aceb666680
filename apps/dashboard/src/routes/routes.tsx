import type { QueryClient } from '@tanstack/react-query';
import { createBrowserRouter, type RouteObject } from 'react-router';
import { PageCrashed } from '../app/PageCrashed';
import { Root } from '../app/Root';
import { Loading } from '../kit/Loading';
import { NoPage } from '../app/NoPage';
import { overviewQuery } from '../pages/overview/overview-query';
import { PATTERNS } from './paths';

type PageModule = { readonly default: () => React.ReactNode };

/**
 * A page is a chunk of its own, read when it is first opened; its module exports the page by default. `ahead` begins to read what the
 * page will ask for, while its chunk is still on the way.
 */
function page(path: string, load: () => Promise<PageModule>, ahead?: (url: URL) => void): RouteObject {
  return {
    path,
    ErrorBoundary: PageCrashed,
    lazy: async () => ({ Component: (await load()).default }),
    shouldRevalidate: () => false,
    loader: ({ request }) => {
      ahead?.(new URL(request.url));
      return null;
    },
  };
}

export const createRouter = (client: QueryClient) =>
  createBrowserRouter([
    {
      Component: Root,
      ErrorBoundary: PageCrashed,
      HydrateFallback: Loading,
      children: [
        page(PATTERNS.overview, () => import('../pages/overview/OverviewPage'), (url) => {
          // What fails is asked again by the page, which then says so.
          client.query(overviewQuery(url.searchParams.get('namespace'))).catch(() => undefined);
        }),
        page(PATTERNS.jobs, () => import('../pages/jobs/JobsPage')),
        page(PATTERNS.job, () => import('../pages/job/JobPage')),
        page(PATTERNS.stuck, () => import('../pages/stuck/StuckPage')),
        page(PATTERNS.deadLetters, () => import('../pages/dead-letters/DeadLettersPage')),
        page(PATTERNS.pattern, () => import('../pages/dead-letters/PatternPage')),
        page(PATTERNS.redrive, () => import('../pages/dead-letters/RedrivePage')),
        page(PATTERNS.incidents, () => import('../pages/incidents/IncidentsPage')),
        page(PATTERNS.incident, () => import('../pages/incident/IncidentPage')),
        page(PATTERNS.postmortem, () => import('../pages/postmortem/PostmortemPage')),
        { path: '*', Component: NoPage },
      ],
    },
  ]);
