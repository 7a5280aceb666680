import { Button, Group } from '@mantine/core';
import { common } from '../text/common';

interface Props {
  /** Whether there is a page after the last one read. */
  readonly hasMore: boolean;
  readonly busy: boolean;
  readonly onMore: () => void;
}

/** Below a list that the API gives out in pages: reads the next one, and leaves those before it where they are. */
export function CursorPages({ hasMore, busy, onMore }: Props) {
  if (!hasMore) return null;
  return (
    <Group justify="center" p="sm">
      <Button size="xs" variant="default" loading={busy} onClick={onMore}>
        {common.table.more}
      </Button>
    </Group>
  );
}
