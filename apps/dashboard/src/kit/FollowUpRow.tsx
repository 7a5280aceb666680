import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { api, read } from '../api/client';
import type { components } from '../api/generated/schema';
import { visible } from '../text/format';
import { incidents } from '../text/incidents';
import { ActionButton } from './ActionButton';
import type { Action } from './ActionDialog';
import classes from './FollowUpRow.module.css';
import { StatusText } from './StatusText';
import { When } from './When';

const { followUps: text } = incidents;
type FollowUp = components['schemas']['FollowUpView'];

/** A lesson or a task of an incident: what, for whom, and whether it is done. */
export function FollowUpRow({ item, aside }: { readonly item: FollowUp; readonly aside?: ReactNode }) {
  const { kind, owner, addedBy, addedAt, done } = item;
  const [tone, shape] = done !== null ? (['ok', 'dot'] as const) : kind === 'lesson' ? (['calm', 'eye'] as const) : (['warn', 'square'] as const);
  return (
    <div className={classes.row}>
      <div className={classes.words}>
        <StatusText text={text.kind[kind]} tone={tone} shape={shape} /> <span className={classes.text}>{visible(item.text)}</span>
        <div className={classes.meta}>
          {kind === 'task' && <span>{owner === null ? text.nobody : text.owner(visible(owner))}</span>}
          <span>
            {text.by(visible(addedBy))} <When at={addedAt} />
          </span>
          {done !== null && (
            <span>
              {text.doneBy(visible(done.by))} <When at={done.at} />
              {done.note !== null && <Text span size="xs">{`: ${visible(done.note)}`}</Text>}
            </span>
          )}
          {aside}
        </div>
      </div>
      {done === null && kind === 'task' && <ActionButton action={finish(item)} />}
    </div>
  );
}

const finish = ({ followUpId: id, text: said }: FollowUp): Action<undefined, unknown> => ({
  label: text.done,
  says: () => text.doneSays(visible(said)),
  reason: 'optional',
  run: ({ reason }) => read(api.POST('/v1/follow-ups/{id}/done', { params: { path: { id } }, body: reason === '' ? {} : { note: reason } })),
});
