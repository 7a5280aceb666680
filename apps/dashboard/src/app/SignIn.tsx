import { Alert, Button, Card, PasswordInput, Stack, Text, Title } from '@mantine/core';
import type { SyntheticEvent } from 'react';
import { common } from '../text/common';
import classes from './SignIn.module.css';

interface Props {
  /** The last token was none. */
  readonly refused: boolean;
  readonly busy: boolean;
  readonly onToken: (token: string) => void;
}

const { session } = common;

export function SignIn({ refused, busy, onToken }: Props) {
  const submit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const text = new FormData(event.currentTarget).get('token');
    if (typeof text === 'string' && text.trim() !== '') onToken(text.trim());
  };
  return (
    <main className={classes.page}>
      <Card component="form" onSubmit={submit} withBorder padding="xl" className={classes.card}>
        <Stack>
          <div>
            <Text size="sm" c="dimmed">
              {common.product}
            </Text>
            <Title order={1} size="h2">
              {session.title}
            </Title>
          </div>
          <Text size="sm">{session.lead}</Text>
          {refused && (
            <Alert color="red" role="alert">
              {session.refused}
            </Alert>
          )}
          <PasswordInput name="token" label={session.token} description={session.tokenHelp} autoComplete="off" required autoFocus />
          <Button type="submit" loading={busy}>
            {session.submit}
          </Button>
        </Stack>
      </Card>
    </main>
  );
}
