import { ActionButton } from '../../kit/ActionButton';
import { StatusText } from '../../kit/StatusText';
import { When } from '../../kit/When';
import { utc, visible } from '../../text/format';
import { overview as text } from '../../text/overview';
import { switchAction, useSwitchBlocked } from './actions-switch';
import type { Overview } from './overview-query';
import classes from './OverviewPage.module.css';

const { actions: words } = text;

/** That nothing is done at the moment, whatever the levels say, with the way back; and who has let actions go on last. */
export function ActionsNote({ actions }: { readonly actions: Overview['actions'] }) {
  const { enabled, by, observedUntil } = actions;
  const blocked = useSwitchBlocked();
  if (!enabled) {
    return (
      <div className={classes.note}>
        <div role="status">
          <StatusText text={words.off} tone="warn" shape="pause" />
          <div>{words.offText}</div>
          <Who says={words.stoppedBy(visible(by ?? ''))} actions={actions} />
        </div>
        <ActionButton action={switchAction(true)} scope="admin" blocked={blocked} />
      </div>
    );
  }
  if (observedUntil !== undefined) {
    return (
      <div className={classes.note} role="status">
        <StatusText text={words.observed} tone="warn" shape="eye" />
        <div>{words.observedText(utc(Date.parse(observedUntil)))}</div>
      </div>
    );
  }
  if (by === undefined || by === '') return null;
  return (
    <div className={classes.calm}>
      <StatusText text={words.goesOn} tone="ok" shape="dot" />
      <Who says={words.goesOnBy(visible(by))} actions={actions} />
    </div>
  );
}

function Who({ says, actions: { since, reason } }: { readonly says: string; readonly actions: Overview['actions'] }) {
  return (
    <div>
      {says} {since !== undefined && <When at={since} />}
      {reason !== undefined && words.reason(visible(reason))}
    </div>
  );
}
