import { Skeleton } from '@mantine/core';
import { common } from '../text/common';
import classes from './states.module.css';

/** In place of what is being read. It appears after a moment only: what comes at once must not flicker. */
export function Loading({ lines = 6 }: { readonly lines?: number }) {
  return (
    <div role="status" className={classes.loading}>
      <span className="visually-hidden">{common.loading}</span>
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={18} width={`${String(92 - ((line * 17) % 40))}%`} aria-hidden />
      ))}
    </div>
  );
}
