import classes from './StatusText.module.css';

export type Tone = 'ok' | 'busy' | 'warn' | 'bad' | 'calm';
export type Shape = 'dot' | 'ring' | 'triangle' | 'square' | 'cross' | 'pause' | 'eye' | 'hand' | 'bolt';

const PATHS: Readonly<Record<Shape, string>> = {
  dot: 'M6 2a4 4 0 1 0 0 8 4 4 0 1 0 0-8z',
  ring: 'M6 1.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 1 0 0-9zm0 1.8a2.7 2.7 0 1 1 0 5.4 2.7 2.7 0 1 1 0-5.4z',
  triangle: 'M6 1 11.4 10.5H.6z',
  square: 'M2 2h8v8H2z',
  cross: 'M2.4 1 6 4.6 9.6 1 11 2.4 7.4 6 11 9.6 9.6 11 6 7.4 2.4 11 1 9.6 4.6 6 1 2.4z',
  pause: 'M2.5 1.5h2.6v9H2.5zM6.9 1.5h2.6v9H6.9z',
  eye: 'M6 2.5C3 2.5 1 6 1 6s2 3.5 5 3.5S11 6 11 6 9 2.5 6 2.5zm0 1.7a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 1 1 0-3.6z',
  hand: 'M3 1h1.6v4h.6V.6h1.6V5h.6V1H9v6.5A3.5 3.5 0 0 1 5.5 11 3.5 3.5 0 0 1 2 7.5V5h1z',
  bolt: 'M7.2 0 2 6.8h3.2L4.4 12 10 5H6.6z',
};

interface Props {
  readonly text: string;
  readonly tone: Tone;
  /** Says the same as the colour, for whoever does not see that. */
  readonly shape: Shape;
  readonly title?: string;
  /** On a ground of its colour. Default false. */
  readonly filled?: boolean;
  /** A sentence rather than a word: it breaks into lines. Default false. */
  readonly wraps?: boolean;
  /** Only the shape in its colour: for what is as it should be. Default false. */
  readonly quiet?: boolean;
}

/** How something stands: by word, shape and colour together. */
export function StatusText({ text, tone, shape, title, filled = false, wraps = false, quiet = false }: Props) {
  const className = [classes.status, filled && classes.filled, wraps && classes.wraps].filter(Boolean).join(' ');
  return (
    <span className={className} data-tone={tone} data-quiet={quiet || undefined} title={title}>
      <svg viewBox="0 0 12 12" className={classes.shape} aria-hidden="true">
        <path d={PATHS[shape]} fill="currentColor" />
      </svg>
      {text}
    </span>
  );
}
