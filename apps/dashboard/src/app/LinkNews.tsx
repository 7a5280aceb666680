import { useState } from 'react';
import { useLink } from '../live/Live';
import type { LinkState } from '../live/connection';
import { common } from '../text/common';

const { link } = common;

/** Tells whoever does not see the banner that it came, and that it went. Of changes on the page nothing is told: there are too many. */
export function LinkNews() {
  const state = useLink();
  const [news, setNews] = useState<{ readonly of: LinkState; readonly text: string }>({ of: state, text: '' });
  if (news.of !== state) setNews({ of: state, text: textOf(state, news.of) });
  return (
    <div role="status" className="visually-hidden">
      {news.text}
    </div>
  );
}

function textOf(state: LinkState, before: LinkState): string {
  if (state === 'unreachable') return link.unreachableTitle;
  if (state === 'disconnected') return link.disconnectedTitle;
  return before === 'connecting' ? '' : link.back;
}
