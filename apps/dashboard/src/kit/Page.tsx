import { Group, Text, Title } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { NavigationType, useLocation, useNavigationType } from 'react-router';
import { common } from '../text/common';
import classes from './Page.module.css';

interface Props {
  /** The page's heading, and what the browser calls the tab. */
  readonly title: string;
  /** Instead of the text, where the heading holds a name that somebody else chose. */
  readonly heading?: ReactNode;
  /** One sentence: what this page is for, or how the thing stands. */
  readonly lead?: ReactNode;
  /** Buttons that are about the whole page. */
  readonly actions?: ReactNode;
  /** When this becomes another text, all that was on the page is gone, and what had the focus with it: the heading takes it. */
  readonly turn?: string;
  readonly children: ReactNode;
}

/** The frame of every page: heading, name of the tab, and the focus on the heading when one came here by a link. */
export function Page({ title, heading, lead, actions, turn, children }: Props) {
  const at = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();
  const how = useNavigationType();
  useEffect(() => {
    document.title = `${title} · ${common.product}`;
  }, [title]);
  useEffect(() => {
    if (how !== NavigationType.Pop) at.current?.focus({ preventScroll: true });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once per page, not whenever its address changes
  }, [pathname]);
  const turned = useRef(turn);
  useEffect(() => {
    if (turned.current !== turn) at.current?.focus({ preventScroll: true });
    turned.current = turn;
  }, [turn]);
  return (
    <div className={classes.page}>
      <header className={classes.header}>
        <div className={classes.words}>
          <Title order={1} size="h3" ref={at} tabIndex={-1} className={classes.title}>
            {heading ?? title}
          </Title>
          {lead !== undefined && (
            <Text component="div" size="sm" c="dimmed">
              {lead}
            </Text>
          )}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </header>
      {children}
    </div>
  );
}
