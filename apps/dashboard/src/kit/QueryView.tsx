import type { ReactNode } from 'react';
import { ErrorState } from './ErrorState';
import { Loading } from './Loading';

interface Props<T> {
  /** Of `useQuery` or `useInfiniteQuery`. */
  readonly query: { readonly data: T | undefined; readonly error: Error | null; readonly refetch: () => unknown };
  /** Lines of the placeholder. Default 6. */
  readonly lines?: number;
  readonly children: (data: T) => ReactNode;
}

/** What a query brought, or how it stands: loading, failed, not allowed. Data that was there stays while it is read again. */
export function QueryView<T>({ query, lines, children }: Props<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error !== null) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading {...(lines !== undefined && { lines })} />;
}
