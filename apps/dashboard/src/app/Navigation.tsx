import { NavLink as NavItem } from '@mantine/core';
import { NavLink, useMatch, useSearchParams } from 'react-router';
import { pathTo } from '../routes/paths';
import { common } from '../text/common';
import classes from './Shell.module.css';

const { nav } = common;

const PAGES = [
  { label: nav.overview, at: '/', to: pathTo.overview, end: true },
  { label: nav.jobs, at: '/jobs/*', to: pathTo.jobs, end: false },
  { label: nav.stuck, at: '/stuck', to: pathTo.stuck, end: false },
  { label: nav.deadLetters, at: '/dead-letters/*', to: pathTo.deadLetters, end: false },
  { label: nav.incidents, at: '/incidents/*', to: pathTo.incidents, end: false },
] as const;

/** Going to another page keeps the namespace. */
export function Navigation() {
  const [query] = useSearchParams();
  const namespace = query.get('namespace') ?? undefined;
  return (
    <nav aria-label={nav.label}>
      {PAGES.map((page) => (
        <Item key={page.at} {...page} href={page.to({ namespace })} />
      ))}
    </nav>
  );
}

interface ItemProps {
  readonly label: string;
  readonly at: string;
  readonly end: boolean;
  readonly href: string;
}

function Item({ label, at, end, href }: ItemProps) {
  const active = useMatch({ path: at, end }) !== null;
  return (
    <NavItem component={NavLink} to={href} end={end} label={label} active={active} aria-current={active ? 'page' : undefined} className={classes.link ?? ''} />
  );
}
