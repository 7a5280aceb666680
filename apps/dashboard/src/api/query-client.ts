import { QueryClient } from '@tanstack/react-query';
import type { ChangeFilter } from '../live/change';
import { Problem } from './problem';

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: Error;
    queryMeta: {
      /** What it shows: read again when any of these is told of. Left out: only when the page is opened, or the connection was lost. */
      readonly changes?: readonly ChangeFilter[];
      /** Not more often than this because of changes, ms: for what is dear to read. Default 1,000. */
      readonly changesEveryMs?: number;
    };
  }
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // The live stream says when something has changed; what was read a moment ago is shown at once when a page is opened again.
        staleTime: 5_000,
        refetchOnWindowFocus: false,
        // The live connection knows better than the browser whether there is one.
        refetchOnReconnect: false,
        networkMode: 'always',
        retry: (failures, error) => failures < 2 && error instanceof Problem && error.passing,
        retryDelay: (failures) => 500 * 2 ** failures,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
}
