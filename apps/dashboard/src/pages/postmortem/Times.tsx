import { Facts } from '../../kit/Facts';
import { Panel } from '../../kit/Panel';
import { Tile } from '../../kit/Tile';
import { When } from '../../kit/When';
import { common } from '../../text/common';
import { duration } from '../../text/format';
import { postmortem } from '../../text/postmortem';
import type { Postmortem } from './postmortem-query';
import classes from './PostmortemPage.module.css';

const { times: text } = postmortem;

/** How long it took to be noticed, to do no harm, and to be over. */
export function Times({ postmortem: { times, openedAt } }: { readonly postmortem: Postmortem }) {
  const tile = (name: string, ms: number | null, hint: string) => <Tile name={name} value={ms === null ? common.none : duration(ms)} hint={ms === null ? text.unknown : hint} tone="calm" />;
  const at = (instant: string | null) => (instant === null ? null : <When at={instant} as="utc" />);
  return (
    <Panel title={text.title}>
      <div className={classes.times}>
        {tile(text.detect, times.detectMs, text.fromBeginning)}
        {tile(text.isolate, times.isolateMs, text.fromOpening)}
        {tile(text.restore, times.restoreMs, text.fromOpening)}
      </div>
      <Facts
        facts={[
          [text.began, at(times.beganAt)],
          [text.opened, at(openedAt)],
          [text.isolated, at(times.isolatedAt)],
          [text.restored, at(times.restoredAt)],
          [text.resolved, at(times.resolvedAt)],
        ]}
      />
    </Panel>
  );
}
