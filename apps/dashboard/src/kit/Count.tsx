import { count, exactCount } from '../text/format';

/** A count; a large one is rounded, with the exact figure in the title. */
export function Count({ value }: { readonly value: number }) {
  const shown = count(value);
  const exact = exactCount(value);
  return <span title={shown === exact ? undefined : exact}>{shown}</span>;
}
