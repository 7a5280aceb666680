import { useLink } from '../live/Live';
import { common } from '../text/common';
import { StatusText } from '../kit/StatusText';

const { link } = common;

/** Whether what is shown is current. */
export function LinkBadge() {
  const state = useLink();
  if (state === 'live') return <StatusText tone="ok" shape="dot" text={link.live} title={link.liveTitle} />;
  if (state === 'connecting') return <StatusText tone="calm" shape="ring" text={link.connecting} title={link.connectingTitle} />;
  return <StatusText tone="bad" shape="cross" text={link.disconnected} title={link.disconnectedText} />;
}
