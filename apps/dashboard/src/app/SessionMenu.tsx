import { Button, Popover, Stack, Text } from '@mantine/core';
import { SIGNED_OUT, signedOut } from '../api/client';
import { useMe } from '../api/me';
import { token } from '../api/token';
import { common } from '../text/common';
import { visible } from '../text/format';

const { session } = common;

/** Who is signed in, what that allows, and the way out. */
export function SessionMenu() {
  const { name, scopes, open, version } = useMe();
  const signOut = (): void => {
    token.forget();
    signedOut.dispatchEvent(new Event(SIGNED_OUT));
  };
  const acts = scopes.includes('operate');
  return (
    <Popover position="bottom-end" shadow="md" trapFocus>
      <Popover.Target>
        <Button size="xs" variant="default" maw="9rem">
          {acts ? visible(name) : session.readOnly}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs" maw="18rem">
          <Text size="sm" fw={600}>
            {session.as(visible(name))}
          </Text>
          <Text size="sm" c="dimmed">
            {open ? session.open : session.scopes(scopes)}
          </Text>
          <Text size="xs" c="dimmed">
            {`${common.product} ${version}`}
          </Text>
          {token.read() !== null && (
            <Button size="xs" variant="default" onClick={signOut}>
              {session.signOut}
            </Button>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
