import { Anchor, NativeSelect, Stack, Text, TextInput, Textarea } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { api, read } from '../../api/client';
import { ActionButton } from '../../kit/ActionButton';
import type { Action } from '../../kit/ActionDialog';
import { Empty } from '../../kit/Empty';
import { FollowUpRow } from '../../kit/FollowUpRow';
import { Panel } from '../../kit/Panel';
import { pathTo } from '../../routes/paths';
import { count } from '../../text/format';
import { postmortem } from '../../text/postmortem';
import type { Postmortem } from './postmortem-query';
import classes from './PostmortemPage.module.css';

const { lessons: text } = postmortem;

/** What was learned, and what is to be done so that it does not happen again. It goes on after the signature. */
export function Lessons({ postmortem: { incidentId, followUps, moreFollowUps } }: { readonly postmortem: Postmortem }) {
  return (
    <Panel title={text.title} aside={<Add id={incidentId} />} flush>
      {followUps.length === 0 ? (
        <Empty title={text.none} text={text.noneText} />
      ) : (
        <ul className={classes.list} aria-label={text.title}>
          {followUps.map((item) => (
            <li key={item.followUpId}>
              <FollowUpRow item={item} />
            </li>
          ))}
          {moreFollowUps > 0 && (
            <li>
              <Text size="sm" c="dimmed">
                {text.more(count(moreFollowUps))}{' '}
                <Anchor component={Link} size="sm" to={pathTo.incidents({ tab: 'follow-ups', incident: incidentId })}>
                  {text.all}
                </Anchor>
              </Text>
            </li>
          )}
        </ul>
      )}
    </Panel>
  );
}

function Add({ id }: { readonly id: string }) {
  const [kind, setKind] = useState<'task' | 'lesson'>('task');
  const [said, setSaid] = useState('');
  const [owner, setOwner] = useState('');
  const action: Action<undefined, unknown> = {
    label: text.add,
    says: () => (
      <Stack gap="sm">
        <span>{text.addSays}</span>
        <NativeSelect
          label={text.kind}
          value={kind}
          data={[{ value: 'task', label: text.task }, { value: 'lesson', label: text.lesson }]}
          onChange={({ currentTarget }) => setKind(currentTarget.value === 'lesson' ? 'lesson' : 'task')}
        />
        <Textarea label={text.text} required value={said} onChange={({ currentTarget }) => setSaid(currentTarget.value)} autosize minRows={2} maxLength={8_192} />
        {kind === 'task' && <TextInput label={text.owner} value={owner} onChange={({ currentTarget }) => setOwner(currentTarget.value)} maxLength={255} />}
      </Stack>
    ),
    ready: () => said.trim() !== '',
    reason: 'none',
    run: async () => {
      const named = kind === 'task' && owner.trim() !== '' ? { owner: owner.trim() } : {};
      const added = await read(api.POST('/v1/incidents/{id}/postmortem/follow-ups', { params: { path: { id } }, body: { kind, text: said.trim(), ...named } }));
      setSaid('');
      setOwner('');
      return added;
    },
  };
  return <ActionButton action={action} />;
}
