import classes from './Bars.module.css';

interface Props {
  /** Oldest first. */
  readonly values: readonly number[];
  readonly name: string;
  /** What it shows, in words: a picture alone says nothing to a screen reader. */
  readonly label: string;
  /** What stands below its two ends. */
  readonly ends: readonly [from: string, to: string];
}

const WIDTH = 300;
const HEIGHT = 60;

/** Counts of spans of the same length, one bar each. What is more than nothing can be seen. */
export function Bars({ values, name, label, ends: [from, to] }: Props) {
  const most = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length);
  return (
    <figure className={classes.bars}>
      <figcaption className={classes.name}>{name}</figcaption>
      <svg viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`} className={classes.picture} role="img" aria-label={label} preserveAspectRatio="none">
        <title>{label}</title>
        <line x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} className={classes.floor} />
        {values.map((value, i) => {
          const height = value === 0 ? 0 : Math.max(2, (value / most) * (HEIGHT - 2));
          return <rect key={i} x={i * step + step * 0.1} width={step * 0.8} y={HEIGHT - height} height={height} className={classes.bar} />;
        })}
      </svg>
      <div className={classes.ends} aria-hidden="true">
        <span>{from}</span>
        <span>{to}</span>
      </div>
    </figure>
  );
}
