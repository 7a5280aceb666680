import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { common } from '../text/common';
import { Mark } from './Mark';
import classes from './states.module.css';

/** In place of what the token does not allow to see. */
export function NoScope({ scope, children }: { readonly scope: string; readonly children?: ReactNode }) {
  return (
    <div className={classes.state}>
      <Mark shape="lock" />
      <Text fw={600}>{common.noScope.title}</Text>
      <Text size="sm">{common.noScope.text(scope)}</Text>
      {children}
    </div>
  );
}
