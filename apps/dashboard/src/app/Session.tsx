import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { SIGNED_OUT, signedOut } from '../api/client';
import { MeContext, meQuery } from '../api/me';
import { Problem } from '../api/problem';
import { token } from '../api/token';
import { Loading } from '../kit/Loading';
import { NoSession } from './NoSession';
import { SignIn } from './SignIn';

/** Lets nobody further of whom the service does not know who it is. The address stays: after signing in the page asked for is there. */
export function Session({ children }: { readonly children: ReactNode }) {
  const client = useQueryClient();
  const me = useQuery(meQuery);
  const [refused, setRefused] = useState(false);
  useEffect(() => {
    const ask = (): void => {
      const forget = (): void => {
        // What was read with a token must not be seen without it.
        client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== meQuery.queryKey[0] });
      };
      void client.resetQueries({ queryKey: meQuery.queryKey }).then(forget);
    };
    signedOut.addEventListener(SIGNED_OUT, ask);
    return () => signedOut.removeEventListener(SIGNED_OUT, ask);
  }, [client]);
  if (me.isSuccess) return <MeContext value={me.data}>{children}</MeContext>;
  if (me.isPending) return <Loading />;
  if (!(me.error instanceof Problem) || me.error.status !== 401) return <NoSession error={me.error} onRetry={() => void me.refetch()} />;
  const signIn = (text: string): void => {
    token.keep(text);
    void me.refetch().then(({ isSuccess }) => setRefused(!isSuccess));
  };
  return <SignIn refused={refused} busy={me.isFetching} onToken={signIn} />;
}
