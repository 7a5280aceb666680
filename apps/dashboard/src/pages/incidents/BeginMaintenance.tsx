import { NativeSelect, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read } from '../../api/client';
import { ActionButton } from '../../kit/ActionButton';
import type { Action } from '../../kit/ActionDialog';
import { visible } from '../../text/format';
import { incidents } from '../../text/incidents';
import { queuesQuery } from './incidents-queries';

const { maintenance: text } = incidents;
type Length = keyof typeof text.times;
const LENGTHS = Object.keys(text.times) as readonly Length[];

/** From now on, of a queue or of all of a namespace. Others are begun by the API or the command line. */
export function BeginMaintenance({ namespace }: { readonly namespace: string }) {
  const queues = useQuery(queuesQuery(namespace));
  const [queue, setQueue] = useState('');
  const [length, setLength] = useState<Length>('1h');
  const all = text.all(visible(namespace));
  const action: Action<undefined, unknown> = {
    label: text.begin,
    says: () => (
      <Stack gap="sm">
        <span>{text.beginSays(queue === '' ? text.allOf(visible(namespace)) : text.covers.queue(visible(queue)), text.times[length])}</span>
        <NativeSelect
          label={text.queue}
          description={queues.data?.more === true ? incidents.moreQueues : undefined}
          value={queue}
          data={[{ value: '', label: all }, ...(queues.data?.names ?? []).map((name) => ({ value: name, label: visible(name) }))]}
          onChange={({ currentTarget }) => setQueue(currentTarget.value)}
        />
        <NativeSelect
          label={text.for}
          value={length}
          data={LENGTHS.map((value) => ({ value, label: text.times[value] }))}
          onChange={({ currentTarget: { value } }) => setLength(LENGTHS.find((one) => one === value) ?? '1h')}
        />
      </Stack>
    ),
    reason: 'needed',
    run: ({ reason }) => read(api.POST('/v1/maintenance', { body: { namespace, ...(queue !== '' && { queue }), for: length, reason } })),
  };
  return <ActionButton action={action} />;
}
