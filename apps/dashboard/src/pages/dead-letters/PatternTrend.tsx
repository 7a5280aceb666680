import { Bars } from '../../kit/Bars';
import { Panel } from '../../kit/Panel';
import { useNow } from '../../kit/When';
import { deadLetters } from '../../text/dead-letters';
import { count, visible } from '../../text/format';
import classes from './DeadLetters.module.css';
import type { PatternDetail } from './letter-queries';
import { byDay, sum } from './trend';

const { pattern: text } = deadLetters;

/** When they came, and whose they were. */
export function PatternTrend({ pattern: { trend, hours, revisions, workers } }: { readonly pattern: PatternDetail }) {
  const days = byDay(hours, useNow());
  const label = (name: string, values: readonly number[]): string => text.bars(name, count(sum(values)), count(Math.max(0, ...values)));
  return (
    <>
      <Panel title={text.trend}>
        <div className={classes.two}>
          <Bars values={trend} name={text.hours} label={label(text.hours, trend)} ends={[text.hoursAgo, text.now]} />
          <Bars values={days} name={text.days} label={label(text.days, days)} ends={[text.daysAgo, text.now]} />
        </div>
      </Panel>
      <Panel title={text.who}>
        <div className={classes.two}>
          <Shares title={text.revisions} shares={revisions} />
          <Shares title={text.workers} shares={workers} />
        </div>
      </Panel>
    </>
  );
}

function Shares({ title, shares }: { readonly title: string; readonly shares: PatternDetail['workers'] }) {
  const all = Math.max(1, sum(shares.map(({ letters }) => letters)));
  return (
    <div>
      <p className={classes.subtitle}>{title}</p>
      <ul className={classes.list}>
        {shares.map(({ name, letters }) => (
          <li key={name ?? ''} className={classes.share}>
            <bdi>{name === null ? text.notTold : visible(name)}</bdi>
            <span>{count(letters)}</span>
            <span className={classes.bar} aria-hidden="true">
              <span style={{ width: `${String((letters / all) * 100)}%` }} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
