import { Button, Title } from '@mantine/core';
import { SIGNED_OUT, signedOut } from '../api/client';
import { token } from '../api/token';
import { ErrorState } from '../kit/ErrorState';
import { common } from '../text/common';
import classes from './SignIn.module.css';

/** Who asks cannot be found out, or may not look: nothing of the pages can be shown. */
export function NoSession({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  const another = (): void => {
    token.forget();
    signedOut.dispatchEvent(new Event(SIGNED_OUT));
  };
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <Title order={1} size="h3" ta="center">
          {common.product}
        </Title>
        <ErrorState error={error} onRetry={onRetry}>
          {token.read() !== null && (
            <Button size="xs" variant="default" onClick={another}>
              {common.session.another}
            </Button>
          )}
        </ErrorState>
      </div>
    </main>
  );
}
