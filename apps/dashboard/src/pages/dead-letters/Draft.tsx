import { Stack, Text } from '@mantine/core';
import { Copy } from '../../kit/Copy';
import { Panel } from '../../kit/Panel';
import { deadLetters } from '../../text/dead-letters';
import { visible } from '../../text/format';
import classes from './DeadLetters.module.css';

const { patch: text } = deadLetters;

/** What somebody has typed for nothing, since somebody else was quicker: theirs to take along. */
export function Draft({ typed, old = false }: { readonly typed: string; readonly old?: boolean }) {
  return (
    <Panel title={text.draft} aside={<Copy text={typed} />}>
      <Stack gap="xs">
        <Text size="sm">{`${old ? `${text.draftOld} ` : ''}${text.draftText}`}</Text>
        <pre className={classes.draft} tabIndex={0} role="region" aria-label={text.draft}>
          {typed.split('\n').map(visible).join('\n')}
        </pre>
      </Stack>
    </Panel>
  );
}
