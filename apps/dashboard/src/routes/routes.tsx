import { createBrowserRouter, type RouteObject } from 'react-router';
import { PageCrashed } from '../app/PageCrashed';
import { Root } from '../app/Root';
import { Loading } from '../kit/Loading';
import { NoPage } from '../app/NoPage';
import { PATTERNS } from './paths';

type PageModule = { readonly default: () => React.ReactNode };

/** A page is a chunk of its own, read when it is first opened; its module exports the page by default. */
function page(path: string, load: () => Promise<PageModule>): RouteObject {
  return {
    path,
    ErrorBoundary: PageCrashed,
    lazy: async () => ({ Component: (await load()).default }),
  };
}

export const createRouter = () =>
  createBrowserRouter([
    {
      Component: Root,
      ErrorBoundary: PageCrashed,
      HydrateFallback: Loading,
      children: [
        page(PATTERNS.overview, () => import('../pages/overview/OverviewPage')),
        page(PATTERNS.jobs, () => import('../pages/jobs/JobsPage')),
        page(PATTERNS.job, () => import('../pages/job/JobPage')),
        page(PATTERNS.stuck, () => import('../pages/stuck/StuckPage')),
        page(PATTERNS.deadLetters, () => import('../pages/dead-letters/DeadLettersPage')),
        page(PATTERNS.pattern, () => import('../pages/dead-letters/PatternPage')),
        page(PATTERNS.redrive, () => import('../pages/dead-letters/RedrivePage')),
        page(PATTERNS.incidents, () => import('../pages/incidents/IncidentsPage')),
        page(PATTERNS.incident, () => import('../pages/incident/IncidentPage')),
        page(PATTERNS.postmortem, () => import('../pages/incident/PostmortemPage')),
        { path: '*', Component: NoPage },
      ],
    },
  ]);
