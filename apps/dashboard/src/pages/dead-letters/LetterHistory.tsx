import { List, Stack, Text } from '@mantine/core';
import { Panel } from '../../kit/Panel';
import { When } from '../../kit/When';
import { deadLetters } from '../../text/dead-letters';
import { visible } from '../../text/format';
import type { Letter } from './letter-queries';

const { letter: text } = deadLetters;

/** What people have done with it, and what redaction has taken out of what was told. Left out where there is neither. */
export function LetterHistory({ letter: { hops, patches = [], cut = [] } }: { readonly letter: Letter }) {
  const acts = [
    ...hops.map(({ n, at, by, reason }) => ({ n, at, text: text.hop(visible(by), visible(reason)) })),
    ...patches.map(({ n, at, by, reason }) => ({ n, at, text: text.patched(visible(by), visible(reason)) })),
  ].sort((a, b) => a.n - b.n);
  const places = [...new Set(cut.flatMap(({ redacted }) => redacted))];
  if (acts.length === 0 && places.length === 0) return null;
  return (
    <Panel title={acts.length > 0 ? text.history : text.cut}>
      <Stack gap="sm">
        {acts.length > 0 && (
          <List size="sm">
            {acts.map((act) => (
              <List.Item key={act.n}>
                <When at={act.at} /> {act.text}
              </List.Item>
            ))}
          </List>
        )}
        {places.length > 0 && <Text size="sm" c="dimmed">{`${acts.length > 0 ? `${text.cut}: ` : ''}${places.map(visible).join(', ')}`}</Text>}
      </Stack>
    </Panel>
  );
}
