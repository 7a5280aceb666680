import { useSearchParams } from 'react-router';
import { useMe } from '../api/me';

export const DEFAULT_NAMESPACE = 'default';

/** The namespace that the address names; where it names none, `default`, or the first that the token may see. */
export function useNamespace(): string {
  const { namespaces } = useMe();
  const named = useNamedNamespace();
  if (named !== null) return named;
  return namespaces.includes(DEFAULT_NAMESPACE) ? DEFAULT_NAMESPACE : (namespaces[0] ?? DEFAULT_NAMESPACE);
}

/** The namespace that the address names; null: all. For pages that can show several at once. */
export function useNamedNamespace(): string | null {
  const [query] = useSearchParams();
  return query.get('namespace');
}
