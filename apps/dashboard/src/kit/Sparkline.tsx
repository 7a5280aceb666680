import { linePath, type Value } from './spark-path';
import type { Tone } from './StatusText';
import classes from './Sparkline.module.css';

interface Props {
  /** Oldest first; null: nothing is known of then, and the line has a gap. */
  readonly values: readonly Value[];
  /** What it shows, in words: a picture alone says nothing to a screen reader. */
  readonly label: string;
  /** Default `amount`, which is filled. */
  readonly look?: 'amount' | 'rate';
  /** That of the line. Default: of an amount busy, of a rate calm. */
  readonly tone?: Tone;
  /** The scale reaches at least so far: what is little then looks little. Default 1. */
  readonly least?: number;
  /** What is usual, as a dashed line across. */
  readonly usual?: number | null;
}

const WIDTH = 120;
const HEIGHT = 26;
const EDGE = 2;

/** A line without axes: the shape of what happened. Its scale begins at 0. */
export function Sparkline({ values, label, look = 'amount', tone = look === 'amount' ? 'busy' : 'calm', least = 1, usual = null }: Props) {
  const most = values.reduce<number>((found, value) => Math.max(found, value ?? 0), Math.max(least, usual ?? 0));
  const y = (value: number) => HEIGHT - EDGE - (value / most) * (HEIGHT - 2 * EDGE);
  const line = linePath(values, WIDTH / Math.max(1, values.length - 1), y);
  return (
    <svg viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`} className={classes.sparkline} data-tone={tone} role="img" aria-label={label} preserveAspectRatio="none">
      <title>{label}</title>
      {look === 'amount' && values.length > 1 && <path d={`${line}V${String(HEIGHT)}H0z`} className={classes.area} />}
      {usual !== null && <path d={`M0 ${y(usual).toFixed(1)}H${String(WIDTH)}`} className={classes.usual} />}
      <path d={line} className={classes.line} />
    </svg>
  );
}
