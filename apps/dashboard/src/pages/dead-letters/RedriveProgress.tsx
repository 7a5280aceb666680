import { deadLetters } from '../../text/dead-letters';
import { count } from '../../text/format';
import { StatusText } from '../../kit/StatusText';
import classes from './DeadLetters.module.css';
import type { RedriveRun } from './letter-queries';

const { redrive: text } = deadLetters;

interface Props {
  readonly run: RedriveRun;
  /** With the figures below. Default false: the bar alone. */
  readonly legend?: boolean;
}

/** How far a run is: what is on its way, what was left where it is, and what is still to come. */
export function RedriveProgress({ run: { wanted, redriven, refused, left }, legend = false }: Props) {
  // Some may have died or gone since they were counted.
  const all = Math.max(1, wanted, redriven + refused + left);
  const width = (part: number) => ({ width: `${String((part / all) * 100)}%` });
  return (
    <>
      <div
        className={classes.progress}
        role="progressbar"
        aria-label={text.progress}
        aria-valuemin={0}
        aria-valuemax={all}
        aria-valuenow={redriven + refused}
        aria-valuetext={text.far(count(redriven), count(refused), count(wanted))}
      >
        <div className={classes.redriven} style={width(redriven)} />
        <div className={classes.refused} style={width(refused)} />
      </div>
      {legend && (
        <div className={classes.legend}>
          <StatusText text={`${text.parts.redriven}: ${count(redriven)}`} tone="ok" shape="dot" />
          <StatusText text={`${text.parts.refused}: ${count(refused)}`} tone={refused > 0 ? 'warn' : 'calm'} shape="triangle" quiet={refused === 0} />
          <StatusText text={`${text.parts.left}: ${count(left)}`} tone="calm" shape="ring" />
        </div>
      )}
    </>
  );
}
