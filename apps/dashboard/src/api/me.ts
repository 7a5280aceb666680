import { queryOptions } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { api, read } from './client';
import type { components } from './generated/schema';

export type Me = components['schemas']['Me'];
export type Scope = Me['scopes'][number];

/** Who asks, what that allows, and what is told of the installation. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => read(api.GET('/v1/me', { signal })),
  staleTime: Infinity,
  retry: false,
});

export const MeContext = createContext<Me | null>(null);

/** Below the session gate, where it is always known. */
export function useMe(): Me {
  const me = use(MeContext);
  if (me === null) throw new Error('there is no session around this component');
  return me;
}

/** What keeps the caller from it; null: it may. */
export function useMissingScope(scope: Scope): Scope | null {
  return useMe().scopes.includes(scope) ? null : scope;
}
