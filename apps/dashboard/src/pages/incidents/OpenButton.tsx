import { Checkbox, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api, read } from '../../api/client';
import { ActionButton } from '../../kit/ActionButton';
import type { Action } from '../../kit/ActionDialog';
import { pathTo } from '../../routes/paths';
import { visible } from '../../text/format';
import { incidents } from '../../text/incidents';
import { queuesQuery } from './incidents-queries';

const { open: text } = incidents;

/** For what nobody else has noticed yet; then one is led to it. */
export function OpenButton({ namespace }: { readonly namespace: string }) {
  const queues = useQuery(queuesQuery(namespace));
  const navigate = useNavigate();
  const [queue, setQueue] = useState('');
  const [revision, setRevision] = useState('');
  const [dryRun, setDryRun] = useState(false);
  const named = revision.trim();
  const action: Action<undefined, null> = {
    label: text.label,
    says: () => (
      <Stack gap="sm">
        <span>{text.says}</span>
        <NativeSelect
          label={text.queue}
          required
          description={queues.data?.more === true ? incidents.moreQueues : undefined}
          value={queue}
          data={[{ value: '', label: text.queueChoose }, ...(queues.data?.names ?? []).map((name) => ({ value: name, label: visible(name) }))]}
          onChange={({ currentTarget }) => setQueue(currentTarget.value)}
        />
        <TextInput label={text.revision} description={text.revisionHelp} value={revision} onChange={({ currentTarget }) => setRevision(currentTarget.value)} autoComplete="off" spellCheck={false} />
        <Checkbox label={text.dryRun} checked={dryRun} onChange={({ currentTarget }) => setDryRun(currentTarget.checked)} />
        {named !== '' && queue !== '' && !dryRun && (
          <Text size="sm" fw={600}>
            {text.named(visible(named), visible(queue))}
          </Text>
        )}
      </Stack>
    ),
    ready: () => queue !== '',
    reason: 'needed',
    run: async ({ reason }) => {
      const opened = await read(
        api.POST('/v1/incidents', { params: { query: { namespace } }, body: { queue, reason, dryRun, ...(named !== '' && { revision: named }) } }),
      );
      await navigate(pathTo.incident(opened.incidentId));
      return null;
    },
  };
  return <ActionButton action={action} />;
}
