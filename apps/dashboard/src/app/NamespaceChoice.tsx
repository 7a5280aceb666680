import { NativeSelect } from '@mantine/core';
import { useMatch } from 'react-router';
import { useMe } from '../api/me';
import { useNamedNamespace, useNamespace } from '../routes/namespace';
import { PATTERNS } from '../routes/paths';
import { usePageQuery } from '../routes/page-query';
import { common } from '../text/common';

const ALL = '';

/** Nothing to choose where the token sees one only. */
export function NamespaceChoice() {
  const { namespaces } = useMe();
  const named = useNamedNamespace();
  const inForce = useNamespace();
  const [, change] = usePageQuery();
  // Only the overview shows several at once.
  const onOverview = useMatch(PATTERNS.overview) !== null;
  if (namespaces.length < 2 && (named === null || namespaces.includes(named))) return null;
  const names = namespaces.includes(inForce) ? namespaces : [...namespaces, inForce];
  const data = [...(onOverview ? [{ value: ALL, label: common.namespace.all }] : []), ...names];
  return (
    <NativeSelect
      size="xs"
      aria-label={common.namespace.label}
      data={data}
      value={onOverview ? (named ?? ALL) : inForce}
      onChange={({ currentTarget }) => change({ namespace: currentTarget.value === ALL ? null : currentTarget.value, queue: null, next: null })}
    />
  );
}
