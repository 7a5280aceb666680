import { Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api, read } from '../../api/client';
import { ActionButton } from '../../kit/ActionButton';
import type { Action } from '../../kit/ActionDialog';
import { visible } from '../../text/format';
import { stuck } from '../../text/stuck';
import { waits } from '../../text/waits';
import type { ShadowRow } from './stuck-queries';

const { shadow: text } = stuck;
const LEVELS = ['observe', 'approve', 'act'] as const;
type Level = (typeof LEVELS)[number];

const isLevel = (value: string): value is Level => (LEVELS as readonly string[]).includes(value);

/** Up or down, one action at a time. What the service refuses, such as act for a queue that is not safe, it says why. */
export function LevelButton({ row }: { readonly row: ShadowRow }) {
  const [chosen, setChosen] = useState<Level | null>(null);
  const level = chosen ?? (row.suggested ? row.next : null) ?? row.level;
  const { namespace, queue, action: name } = row;
  const action: Action<undefined, unknown> = {
    label: text.change,
    says: () => (
      <Stack gap="sm">
        <span>{text.changeSays(visible(queue), waits.action[name])}</span>
        <Radio.Group label={text.newLevel} value={level} onChange={(value) => setChosen(isLevel(value) ? value : null)}>
          <Stack gap="xs" mt={4}>
            {LEVELS.map((one) => (
              <Radio key={one} value={one} label={text.levels[one]} size="xs" />
            ))}
          </Stack>
        </Radio.Group>
        <Text size="xs" c="dimmed">
          {text.older}
        </Text>
      </Stack>
    ),
    ready: () => level !== row.level,
    reason: 'needed',
    run: async ({ reason }) => {
      const set = await read(api.PUT('/v1/queue/levels', { params: { query: { namespace, queue } }, body: { action: name, level, reason } }));
      setChosen(null);
      return set;
    },
  };
  return <ActionButton action={action} variant={row.suggested ? 'filled' : 'default'} />;
}
