import { Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { api, read } from '../../api/client';
import { ActionButton } from '../../kit/ActionButton';
import type { Action } from '../../kit/ActionDialog';
import { figuresText } from '../../kit/figures';
import { Panel } from '../../kit/Panel';
import { StatusText, type Shape, type Tone } from '../../kit/StatusText';
import { When } from '../../kit/When';
import { count, visible } from '../../text/format';
import { postmortem } from '../../text/postmortem';
import type { Checklist, Item, Postmortem } from './postmortem-query';
import classes from './PostmortemPage.module.css';

const { checklist: text } = postmortem;

const LOOKS: Readonly<Record<Item['answeredBy'], readonly [Tone, Shape]>> = { data: ['ok', 'dot'], person: ['ok', 'dot'], open: ['warn', 'square'] };

interface Props {
  readonly checklist: Checklist;
  readonly postmortem: Postmortem;
}

/** Questions that the data answer where they can; a person answers the rest. */
export function ChecklistPanel({ checklist: { title, items }, postmortem: whole }: Props) {
  const answered = items.filter(({ answeredBy }) => answeredBy !== 'open').length;
  return (
    <Panel title={title} aside={<Text size="sm">{text.progress(count(answered), count(items.length))}</Text>} flush>
      <ul className={classes.list}>
        {items.map((item) => (
          <li key={item.item}>
            <One item={item} postmortem={whole} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function One({ item, postmortem: whole }: { readonly item: Item; readonly postmortem: Postmortem }) {
  const { asks, answeredBy, data, person } = item;
  const [tone, shape] = LOOKS[answeredBy];
  return (
    <>
      <div className={classes.head}>
        <span className={classes.asks}>{visible(asks)}</span>
        <StatusText text={text.state[answeredBy]} tone={tone} shape={shape} />
      </div>
      {data !== null && (
        <div className={classes.answer}>
          <Text size="xs" c="dimmed">
            {text.fromData}
          </Text>
          {visible(data.says)}
          {Object.keys(data.figures).length > 0 && (
            <Text size="xs" c="dimmed">
              {figuresText(data.figures)}
            </Text>
          )}
        </div>
      )}
      {person !== null && (
        <div className={classes.answer}>
          <Text size="xs" c="dimmed">
            {text.by(visible(person.by))} <When at={person.at} />
          </Text>
          {visible(person.answer)}
        </div>
      )}
      <Answer item={item} postmortem={whole} />
    </>
  );
}

function Answer({ item: { item, asks, answeredBy }, postmortem: { incidentId: id, signature } }: { readonly item: Item; readonly postmortem: Postmortem }) {
  const [answer, setAnswer] = useState('');
  const action: Action<undefined, unknown> = {
    label: { open: text.answer, data: text.beside, person: text.again }[answeredBy],
    says: () => (
      <>
        <Text size="sm" fw={600}>
          {visible(asks)}
        </Text>
        <Textarea label={text.field} description={text.kept} value={answer} onChange={({ currentTarget }) => setAnswer(currentTarget.value)} autosize minRows={3} maxLength={8_192} mt="sm" required data-autofocus />
      </>
    ),
    ready: () => answer.trim() !== '',
    reason: 'none',
    run: async () => {
      const told = await read(api.PUT('/v1/incidents/{id}/postmortem/items/{item}', { params: { path: { id, item } }, body: { answer: answer.trim() } }));
      setAnswer('');
      return told;
    },
  };
  return <ActionButton action={action} blocked={signature === null ? null : text.frozen} size="compact-xs" />;
}
