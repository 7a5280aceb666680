import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { common } from '../text/common';
import { Mark } from './Mark';
import classes from './states.module.css';

interface Props {
  readonly title?: string;
  /** Why there is nothing, and what would bring something. */
  readonly text?: string;
  readonly children?: ReactNode;
}

export function Empty({ title = common.empty.title, text, children }: Props) {
  return (
    <div className={classes.state}>
      <Mark shape="empty" />
      <Text fw={600}>{title}</Text>
      {text !== undefined && (
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      )}
      {children}
    </div>
  );
}
