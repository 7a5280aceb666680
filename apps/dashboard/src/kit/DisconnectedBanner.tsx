import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useLink } from '../live/Live';
import { common } from '../text/common';
import classes from './states.module.css';

const { link } = common;

/** Above every page while nothing tells it of changes. What is shown stays: old figures are better than none, if one knows. */
export function DisconnectedBanner() {
  const client = useQueryClient();
  const state = useLink();
  if (state !== 'disconnected' && state !== 'unreachable') return null;
  return (
    <div className={classes.banner}>
      <strong>{state === 'unreachable' ? link.unreachableTitle : link.disconnectedTitle}</strong>
      <span>{state === 'unreachable' ? link.unreachableText : link.disconnectedText}</span>
      <Button size="compact-sm" variant="default" onClick={() => void client.invalidateQueries()}>
        {link.tryNow}
      </Button>
    </div>
  );
}
