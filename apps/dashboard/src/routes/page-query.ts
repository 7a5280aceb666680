import { useCallback } from 'react';
import { useSearchParams } from 'react-router';

/**
 * Filters live in the address: they survive a reload, and a link shows what its sender saw. Setting one to null or to an
 * empty text takes it out; `replace` keeps the back button from going through every letter that was typed.
 *
 * Shown at once: the router goes by the address that the page was last drawn for, and draws a new one when there is time. A
 * second choice before that took the first one back.
 */
export function usePageQuery(): readonly [URLSearchParams, (changes: Readonly<Record<string, string | null>>) => void] {
  const [query, setQuery] = useSearchParams();
  const change = useCallback(
    (changes: Readonly<Record<string, string | null>>) => {
      setQuery(
        (old) => {
          const next = new URLSearchParams(old);
          for (const [name, value] of Object.entries(changes)) {
            if (value === null || value === '') next.delete(name);
            else next.set(name, value);
          }
          return next;
        },
        { replace: true, flushSync: true },
      );
    },
    [setQuery],
  );
  return [query, change];
}
