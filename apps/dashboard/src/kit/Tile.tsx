import { Link } from 'react-router';
import { StatusText, type Shape, type Tone } from './StatusText';
import classes from './Tile.module.css';

interface Props {
  readonly name: string;
  readonly value: string;
  /** What the figure means now; null: the figure says it. */
  readonly hint: string | null;
  readonly tone: Tone;
  /** Where more of it is. */
  readonly to?: string;
}

const SHAPES: Readonly<Record<Tone, Shape>> = { ok: 'dot', busy: 'dot', warn: 'triangle', bad: 'cross', calm: 'ring' };

/** One figure with its name. Calm ones stay in the background; what asks to be looked at stands out by colour and shape. */
export function Tile({ name, value, hint, tone, to }: Props) {
  const content = (
    <>
      <span className={classes.name}>
        <StatusText text={name} tone={tone} shape={SHAPES[tone]} quiet={tone === 'ok' || tone === 'calm'} />
      </span>
      <span className={classes.value}>{value}</span>
      <span className={classes.hint}>{hint ?? '\u00a0'}</span>
    </>
  );
  return to === undefined ? (
    <div className={classes.tile} data-tone={tone}>
      {content}
    </div>
  ) : (
    <Link to={to} className={classes.tile} data-tone={tone}>
      {content}
    </Link>
  );
}
