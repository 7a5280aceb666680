import { useQueryClient } from '@tanstack/react-query';
import { createContext, use, useEffect, useState, type ReactNode } from 'react';
import { SIGNED_OUT, signedOut } from '../api/client';
import { Connection, type LinkState } from './connection';
import { Invalidation } from './invalidation';

const LinkContext = createContext<LinkState>('connecting');

/** How the live connection stands. */
export const useLink = (): LinkState => use(LinkContext);

/** Keeps what is shown below current, and says when it cannot. */
export function Live({ children }: { readonly children: ReactNode }) {
  const client = useQueryClient();
  const [state, setState] = useState<LinkState>('connecting');
  useEffect(() => {
    const invalidation = new Invalidation(client);
    const connection = new Connection(`${location.origin}/v1/streams/changes`, {
      onState: setState,
      onChange: (change) => invalidation.take(change),
      onGap: () => invalidation.everything(),
      onSignedOut: () => signedOut.dispatchEvent(new Event(SIGNED_OUT)),
    });
    const hurry = (): void => {
      if (document.visibilityState === 'visible') connection.hurry();
    };
    connection.open();
    window.addEventListener('online', hurry);
    document.addEventListener('visibilitychange', hurry);
    return () => {
      window.removeEventListener('online', hurry);
      document.removeEventListener('visibilitychange', hurry);
      connection.close();
      invalidation.stop();
    };
  }, [client]);
  return <LinkContext value={state}>{children}</LinkContext>;
}
