import { Button, Code, Stack, Text } from '@mantine/core';
import { useRouteError } from 'react-router';
import { Page } from '../kit/Page';
import { common } from '../text/common';

/** A fault of the dashboard itself. After an update of the service the page's chunk may be gone: reloading brings the new one. */
export function PageCrashed() {
  const error = useRouteError();
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return (
    <Page title={common.error.crashed}>
      <Stack align="flex-start">
        <Text>{common.error.crashedText}</Text>
        <Code block maw="100%">
          {text}
        </Code>
        <Button onClick={() => location.reload()}>{common.error.reload}</Button>
      </Stack>
    </Page>
  );
}
