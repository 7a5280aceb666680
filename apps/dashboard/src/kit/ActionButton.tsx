import { Button, Tooltip, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMissingScope, type Scope } from '../api/me';
import { useLink } from '../live/Live';
import { common } from '../text/common';
import { ActionDialog, type Action } from './ActionDialog';

interface Props<Preview, Outcome> {
  readonly action: Action<Preview, Outcome>;
  /** Default `operate`. */
  readonly scope?: Scope;
  /** Why it cannot be done now, though the token would allow it. null: it can. */
  readonly blocked?: string | null;
  /** Whether a hint says why it is off. false: the page says it beside, and the button only to screen readers. Default true. */
  readonly hint?: boolean;
  readonly size?: ButtonProps['size'];
  readonly variant?: ButtonProps['variant'];
}

/**
 * A button that opens the dialog of an action. Without the scope it stays in its place and says what is missing: it can be reached
 * by keyboard, so that whoever cannot see the hint can hear it.
 */
export function ActionButton<Preview, Outcome>({ action, scope = 'operate', blocked = null, hint = true, size = 'xs', variant = 'default' }: Props<Preview, Outcome>) {
  const [opened, dialog] = useDisclosure(false);
  const missing = useMissingScope(scope);
  const gone = useLink() === 'unreachable';
  const why = missing !== null ? common.noScope.action(missing) : gone ? common.link.noAction : blocked;
  // What came of it is still to be read, although it cannot be done again.
  if (why !== null && !opened) {
    return (
      <Tooltip label={why} multiline maw="20rem" disabled={!hint && why === blocked} events={{ hover: true, focus: true, touch: true }}>
        <Button size={size} variant="default" data-disabled aria-disabled aria-description={why} onClick={(event) => event.preventDefault()}>
          {action.label}
        </Button>
      </Tooltip>
    );
  }
  return (
    <>
      <Button size={size} variant={variant} onClick={dialog.open} aria-haspopup="dialog">
        {action.label}
      </Button>
      <ActionDialog action={action} opened={opened} onClose={dialog.close} />
    </>
  );
}
