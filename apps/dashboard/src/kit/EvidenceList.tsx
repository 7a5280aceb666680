import { List, Text } from '@mantine/core';
import { visible } from '../text/format';
import { figuresText } from './figures';

interface Props {
  readonly evidence: readonly { readonly says: string; readonly figures: Readonly<Record<string, unknown>> }[];
}

/** Sentences that something rests on, each with its figures. */
export function EvidenceList({ evidence }: Props) {
  return (
    <List size="sm">
      {evidence.map(({ says, figures }) => (
        <List.Item key={says}>
          {visible(says)}
          {Object.keys(figures).length > 0 && (
            <Text size="xs" c="dimmed">
              {figuresText(figures)}
            </Text>
          )}
        </List.Item>
      ))}
    </List>
  );
}
