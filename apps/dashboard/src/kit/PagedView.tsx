import type { ReactNode } from 'react';
import { CursorPages } from './CursorPages';
import { QueryView } from './QueryView';

interface Props<Row> {
  /** Of `useInfiniteQuery`. */
  readonly query: {
    readonly data: { readonly pages: readonly { readonly items: readonly Row[] }[] } | undefined;
    readonly error: Error | null;
    readonly refetch: () => unknown;
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
  /** Lines of the placeholder. */
  readonly lines?: number;
  /** Where there is nothing. */
  readonly empty: ReactNode;
  readonly children: (rows: readonly Row[]) => ReactNode;
}

/** A list that is read page by page: what was read so far, and the way to more. What is not shown is never passed over in silence. */
export function PagedView<Row>({ query, lines, empty, children }: Props<Row>) {
  return (
    <QueryView query={query} {...(lines !== undefined && { lines })}>
      {({ pages }) => {
        const rows = pages.flatMap(({ items }) => items);
        return (
          <>
            {rows.length === 0 && !query.hasNextPage ? empty : children(rows)}
            <CursorPages hasMore={query.hasNextPage} busy={query.isFetchingNextPage} onMore={() => void query.fetchNextPage()} />
          </>
        );
      }}
    </QueryView>
  );
}
