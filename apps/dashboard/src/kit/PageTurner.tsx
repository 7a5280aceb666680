import { Button, Group, Text } from '@mantine/core';
import { Link, useLocation } from 'react-router';
import { common } from '../text/common';

interface Props {
  /** Cursor of this page; null: it is the first. */
  readonly at: string | null;
  /** Cursor of the one after it; null: there is none. */
  readonly next: string | null;
}

/** One page of a list after the other, each at an address of its own: back is the browser's. */
export function PageTurner({ at, next }: Props) {
  const { pathname, search } = useLocation();
  const to = (cursor: string | null): string => {
    const query = new URLSearchParams(search);
    if (cursor === null) query.delete('next');
    else query.set('next', cursor);
    return `${pathname}?${query.toString()}`;
  };
  if (at === null && next === null) return null;
  return (
    <Group justify="center" p="sm" component="nav" aria-label={common.pages.label}>
      {at !== null && (
        <Button component={Link} to={to(null)} size="xs" variant="default">
          {common.pages.first}
        </Button>
      )}
      {next === null ? (
        <Text size="sm" c="dimmed">
          {common.pages.end}
        </Text>
      ) : (
        <Button component={Link} to={to(next)} size="xs" variant="default">
          {common.pages.next}
        </Button>
      )}
    </Group>
  );
}
