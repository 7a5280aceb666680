import { Title } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import classes from './Panel.module.css';

interface Props {
  readonly title: string;
  /** Beside the title: a count, a link to all of it. */
  readonly aside?: ReactNode;
  /** Without padding: for tables and lists that reach the border. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}

/** A part of a page with a name, which screen readers can jump to. */
export function Panel({ title, aside, flush = false, children }: Props) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={classes.panel}>
      <header className={classes.header}>
        <Title order={2} size="h5" id={id}>
          {title}
        </Title>
        {aside}
      </header>
      <div className={flush ? classes.flush : classes.body}>{children}</div>
    </section>
  );
}
