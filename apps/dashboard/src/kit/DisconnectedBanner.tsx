import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useLink } from '../live/Live';
import { common } from '../text/common';
import classes from './states.module.css';

const { link } = common;

/** Above every page while nothing tells it of changes. What is shown stays: old figures are better than none, if one knows. */
export function DisconnectedBanner() {
  const client = useQueryClient();
  if (useLink() !== 'disconnected') return null;
  return (
    <div role="status" className={classes.banner}>
      <strong>{link.disconnectedTitle}</strong>
      <span>{link.disconnectedText}</span>
      <Button size="compact-sm" variant="default" onClick={() => void client.invalidateQueries()}>
        {link.tryNow}
      </Button>
    </div>
  );
}
