import classes from './states.module.css';

const SHAPES = {
  /** An empty tray. */
  empty: 'M6 22 10 9h20l4 13v9H6zM6 22h9l2 4h6l2-4h9',
  error: 'M20 6 36 33H4zM20 16v8M20 28v1',
  lock: 'M11 18v-5a9 9 0 0 1 18 0v5M8 18h24v16H8zM20 24v4',
} as const;

/** A drawing for a state that stands in place of data. */
export function Mark({ shape }: { readonly shape: keyof typeof SHAPES }) {
  return (
    <svg viewBox="0 0 40 40" className={classes.mark} aria-hidden="true" fill="none" stroke="currentColor" strokeWidth="1.8" strokeLinejoin="round" strokeLinecap="round">
      <path d={SHAPES[shape]} />
    </svg>
  );
}
