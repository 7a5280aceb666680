import type { ReactNode } from 'react';
import classes from './QueuesPanel.module.css';

interface Props {
  /** Left out: nothing of the last hour is known. */
  readonly line: ReactNode;
  readonly figure: ReactNode;
  /** What it is to be read against. */
  readonly beside: ReactNode;
}

/** A figure with the hour that led to it. */
export function Trend({ line, figure, beside }: Props) {
  return (
    <div className={classes.trend}>
      <span className={classes.spark}>{line}</span>
      <span className={classes.figure}>{figure}</span>
      <span className={classes.beside}>{beside}</span>
    </div>
  );
}
