import { useSearchParams } from 'react-router';
import { useMe } from '../api/me';

const DEFAULT = 'default';

/** The namespace that the address names; where it names none, `default`, or the first that the token may see. */
export function useNamespace(): string {
  const { namespaces } = useMe();
  const named = useNamedNamespace();
  if (named !== null) return named;
  return namespaces.includes(DEFAULT) ? DEFAULT : (namespaces[0] ?? DEFAULT);
}

/** The namespace that the address names; null: all. For pages that can show several at once. */
export function useNamedNamespace(): string | null {
  const [query] = useSearchParams();
  return query.get('namespace');
}
