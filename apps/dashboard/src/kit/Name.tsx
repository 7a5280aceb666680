import { visible } from '../text/format';
import classes from './Name.module.css';

interface Props {
  readonly text: string;
  /** On one line, cut off with the whole in the title. Default false: it breaks wherever it must. */
  readonly short?: boolean;
}

/** An id, a queue, a worker: a name that somebody else chose, shown as text whatever it holds. */
export function Name({ text, short = false }: Props) {
  const shown = visible(text);
  return (
    <bdi className={short ? classes.short : classes.name} title={short ? shown : undefined}>
      {shown}
    </bdi>
  );
}
