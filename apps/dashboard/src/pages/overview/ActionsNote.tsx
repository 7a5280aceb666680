import { StatusText } from '../../kit/StatusText';
import { utc, visible } from '../../text/format';
import { overview as text } from '../../text/overview';
import type { Overview } from './overview-query';
import classes from './OverviewPage.module.css';

/** That nothing is done at the moment, whatever the levels say. */
export function ActionsNote({ actions: { enabled, by, reason, observedUntil } }: { readonly actions: Overview['actions'] }) {
  if (!enabled) {
    return (
      <div className={classes.note} role="status">
        <StatusText text={text.actions.off} tone="warn" shape="pause" />
        <div>{text.actions.offText(visible(by ?? ''), visible(reason ?? ''))}</div>
      </div>
    );
  }
  if (observedUntil === undefined) return null;
  return (
    <div className={classes.note} role="status">
      <StatusText text={text.actions.observed} tone="warn" shape="eye" />
      <div>{text.actions.observedText(utc(Date.parse(observedUntil)))}</div>
    </div>
  );
}
