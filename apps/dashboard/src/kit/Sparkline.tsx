import classes from './Sparkline.module.css';

interface Props {
  /** Oldest first. */
  readonly values: readonly number[];
  /** What it shows, in words: a picture alone says nothing to a screen reader. */
  readonly label: string;
}

const WIDTH = 120;
const HEIGHT = 26;

/** A line without axes: the shape of what happened. Its scale begins at 0. */
export function Sparkline({ values, label }: Props) {
  const most = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, i) => `${(i * step).toFixed(1)},${(HEIGHT - 2 - (value / most) * (HEIGHT - 4)).toFixed(1)}`);
  return (
    <svg viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`} className={classes.sparkline} role="img" aria-label={label} preserveAspectRatio="none">
      <title>{label}</title>
      {points.length > 1 && (
        <>
          <polygon points={`0,${String(HEIGHT)} ${points.join(' ')} ${String(WIDTH)},${String(HEIGHT)}`} className={classes.area} />
          <polyline points={points.join(' ')} className={classes.line} />
        </>
      )}
    </svg>
  );
}
