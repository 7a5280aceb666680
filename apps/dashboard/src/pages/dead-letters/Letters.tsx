import { Button, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { useNavigate } from 'react-router';
import { Empty } from '../../kit/Empty';
import { PageTurner } from '../../kit/PageTurner';
import { Panel } from '../../kit/Panel';
import { QueryView } from '../../kit/QueryView';
import { pathTo } from '../../routes/paths';
import { usePageQuery } from '../../routes/page-query';
import { deadLetters } from '../../text/dead-letters';
import classes from './DeadLetters.module.css';
import { lettersQuery, type Where } from './letter-queries';
import { LetterTable } from './LetterTable';
import { QueueChoice } from './QueueChoice';

const { letters: text } = deadLetters;

export function Letters({ where }: { readonly where: Where }) {
  const [query] = usePageQuery();
  const [kind, next] = [query.get('kind') ?? '', query.get('next')];
  const found = useQuery(lettersQuery({ ...where, ...(kind !== '' && { kind }) }, next));
  return (
    <Stack gap="md">
      <Filters key={kind} kind={kind} where={where} />
      <Panel title={text.title} flush>
        <QueryView query={found}>
          {({ items, next: after }) =>
            items.length === 0 && next === null ? (
              <Empty title={text.none} text={text.noneText} />
            ) : (
              <div aria-busy={found.isPlaceholderData}>
                <LetterTable letters={items} oneQueue={where.queue !== undefined} />
                <PageTurner at={next} next={after} />
              </div>
            )
          }
        </QueryView>
      </Panel>
    </Stack>
  );
}

/** By kind, or one by its id: which is one of its queue only. */
function Filters({ kind: given, where: { namespace, queue } }: { readonly kind: string; readonly where: Where }) {
  const [, change] = usePageQuery();
  const navigate = useNavigate();
  const [kind, setKind] = useState(given);
  const [id, setId] = useState('');
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (queue !== undefined && id !== '') void navigate(pathTo.deadLetter({ namespace, queue, id }));
    else change({ kind, next: null });
  };
  const plain = { size: 'xs', autoComplete: 'off', spellCheck: false } as const;
  return (
    <search>
      <form className={classes.tools} onSubmit={submit}>
        <QueueChoice where={{ namespace, ...(queue !== undefined && { queue }) }} />
        <TextInput {...plain} label={text.kind} value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value)} />
        <TextInput {...plain} label={text.job} disabled={queue === undefined} placeholder={queue === undefined ? text.jobNeedsQueue : ''} value={id} onChange={({ currentTarget }) => setId(currentTarget.value)} />
        <Button size="xs" type="submit">
          {text.apply}
        </Button>
      </form>
    </search>
  );
}
