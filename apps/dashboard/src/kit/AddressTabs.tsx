import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePageQuery } from '../routes/page-query';

interface Props<Name extends string> {
  readonly label: string;
  readonly titles: Readonly<Record<Name, string>>;
  /** In their order. The first is shown where the address names none. Only the one that is shown is rendered. */
  readonly tabs: readonly (readonly [name: Name, content: () => ReactNode])[];
  /** Words of the address that belong to one tab alone, and go with it; the cursor does anyway. */
  readonly leaves?: readonly string[];
}

/** Tabs of a page, kept in the address: a link shows the one that its sender saw. */
export function AddressTabs<Name extends string>({ label, titles, tabs, leaves = [] }: Props<Name>) {
  const [query, change] = usePageQuery();
  const [shown = tabs[0]] = tabs.filter(([name]) => name === query.get('tab'));
  const to = (name: string | null): void => {
    const gone = Object.fromEntries(['next', ...leaves].map((word) => [word, null]));
    change({ ...gone, tab: name === tabs[0]?.[0] ? null : name });
  };
  if (shown === undefined) return null;
  return (
    <Tabs value={shown[0]} onChange={to}>
      <Tabs.List aria-label={label} mb="md">
        {tabs.map(([name]) => (
          <Tabs.Tab key={name} value={name}>
            {titles[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(([name, content]) => (
        <Tabs.Panel key={name} value={name}>
          {name === shown[0] && content()}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
