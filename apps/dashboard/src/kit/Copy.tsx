import { Button, CopyButton } from '@mantine/core';
import { common } from '../text/common';

/** Puts a text into the clipboard as it is, hidden characters included. */
export function Copy({ text, label = common.copy.label }: { readonly text: string; readonly label?: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button size="compact-xs" variant="default" onClick={copy}>
          {copied ? common.copy.done : label}
        </Button>
      )}
    </CopyButton>
  );
}
