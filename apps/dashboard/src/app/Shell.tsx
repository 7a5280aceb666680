import { AppShell, Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useEffect } from 'react';
import { Link, Outlet, useLocation } from 'react-router';
import { DisconnectedBanner } from '../kit/DisconnectedBanner';
import { pathTo } from '../routes/paths';
import { common } from '../text/common';
import iconUrl from './icon.svg';
import { LinkBadge } from './LinkBadge';
import { LinkNews } from './LinkNews';
import { Navigation } from './Navigation';
import { NamespaceChoice } from './NamespaceChoice';
import { SchemeSwitch } from './SchemeSwitch';
import { SessionMenu } from './SessionMenu';
import classes from './Shell.module.css';

export function Shell() {
  const [open, menu] = useDisclosure(false);
  const { pathname } = useLocation();
  useEffect(() => menu.close(), [pathname]); // eslint-disable-line react-hooks/exhaustive-deps -- closes on the way to another page only
  return (
    <AppShell header={{ height: 52 }} navbar={{ width: 232, breakpoint: 'md', collapsed: { mobile: !open } }} padding={0}>
      <a href="#content" className={classes.skip}>
        {common.nav.skip}
      </a>
      <AppShell.Header className={classes.header}>
        <Group gap="sm" wrap="nowrap">
          <Burger opened={open} onClick={menu.toggle} hiddenFrom="md" size="sm" aria-expanded={open} aria-label={open ? common.nav.close : common.nav.open} />
          <Link to={pathTo.overview()} className={classes.brand} aria-label={common.product}>
            <img src={iconUrl} alt="" width={24} height={24} />
            <Text component="span" fw={650} visibleFrom="xs">
              {common.product}
            </Text>
          </Link>
        </Group>
        <Group gap="xs" wrap="nowrap">
          <LinkBadge />
          <NamespaceChoice />
          <SchemeSwitch />
          <SessionMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar component="div" className={classes.navbar}>
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        <LinkNews />
        <DisconnectedBanner />
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}
