import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { Sparkline } from '../../kit/Sparkline';
import { When } from '../../kit/When';
import { pathTo } from '../../routes/paths';
import { deadLetters } from '../../text/dead-letters';
import { count, visible } from '../../text/format';
import classes from './DeadLetters.module.css';
import type { Pattern } from './letter-queries';
import { MarkText } from './MarkText';
import { sum } from './trend';
import { diedOf, patternTitle } from './words';

const { patterns: text } = deadLetters;

interface Props {
  readonly pattern: Pattern;
  /** The queue stands above the list already. */
  readonly oneQueue: boolean;
}

export function PatternRow({ pattern, oneQueue }: Props) {
  const { id, namespace, queue, kind, reason, class: name, frames, letters, stillDead, arrived, trend, lastSeen } = pattern;
  const [frame] = frames;
  const facts = [
    ...(oneQueue ? [] : [text.of(visible(queue))]),
    ...(kind === null ? [] : [text.kind(visible(kind))]),
    ...(frame === undefined ? [] : [text.at(visible(frame))]),
    // That it failed is said by its error; without one its title says how it ended.
    ...(name === null || reason === 'failed' ? [] : [diedOf(reason)]),
  ];
  return (
    <li className={classes.pattern}>
      <div>
        <div className={classes.title}>
          <Anchor component={Link} to={pathTo.pattern(id, { namespace })} size="sm" className={classes.link ?? ''}>
            <bdi>{patternTitle(pattern)}</bdi>
          </Anchor>
          <MarkText pattern={pattern} />
        </div>
        <p className={classes.detail}>{facts.join(' · ')}</p>
      </div>
      <div>
        <Sparkline values={trend} label={text.trend(count(sum(trend)), count(Math.max(0, ...trend)))} />
        <p className={classes.span} aria-hidden="true">
          {text.trendSpan}
        </p>
      </div>
      <div className={classes.figures}>
        {text.arrived(count(arrived))}
        <small>{text.ever(count(letters))}</small>
        {stillDead === false && <small>{text.gone}</small>}
        <small>
          {text.newest} <When at={lastSeen} />
        </small>
      </div>
    </li>
  );
}
