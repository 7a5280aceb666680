import { Anchor, Checkbox, List, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { api, read } from '../../api/client';
import type { components } from '../../api/generated/schema';
import { ActionButton } from '../../kit/ActionButton';
import type { Action } from '../../kit/ActionDialog';
import { pathTo } from '../../routes/paths';
import { deadLetters } from '../../text/dead-letters';
import { count, duration, visible } from '../../text/format';
import type { PatternDetail } from './letter-queries';
import { rateIn } from './rate';
import { refusalWord } from './words';

const { redrive: text, pattern: patternWords } = deadLetters;
type Answer = components['schemas']['RedriveAnswer'];

/** Every letter of a pattern that is dead still, so many a second: first counted, with what would be refused. */
export function RedriveManyButton({ pattern: { id, namespace, queue }, blocked }: { readonly pattern: PatternDetail; readonly blocked: string | null }) {
  const [typed, setTyped] = useState('50');
  const [force, setForce] = useState(false);
  const perSecond = rateIn(typed);
  const call = (body: Partial<components['schemas']['RedriveCall']>, signal?: AbortSignal): Promise<Answer> =>
    read(
      api.POST('/v1/dead-letters/redrives', {
        params: { query: { namespace } },
        body: { queue, pattern: id, perSecond: perSecond ?? 50, ...body },
        ...(signal !== undefined && { signal }),
      }),
    );
  const action: Action<Answer, Answer> = {
    label: patternWords.redrive,
    preview: (signal) => call({}, signal),
    ready: (preview) => (preview?.found ?? 0) > 0 && perSecond !== null,
    says: (preview) =>
      preview !== undefined &&
      (preview.found === 0 ? (
        text.none
      ) : (
        <Stack gap="sm">
          <span>{`${text.says(count(preview.found), visible(queue))} ${text.same}`}</span>
          {preview.outlook !== undefined && <Outlook outlook={preview.outlook} found={preview.found} force={force} />}
          <TextInput
            label={text.rate}
            description={text.rateHelp}
            inputMode="numeric"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            error={perSecond === null ? text.rateHelp : null}
          />
          <Checkbox label={text.force} checked={force} onChange={({ currentTarget }) => setForce(currentTarget.checked)} />
          {perSecond !== null && <span>{text.takes(duration(Math.ceil(preview.found / perSecond) * 1_000))}</span>}
        </Stack>
      )),
    reason: 'needed',
    refused: ({ code, members: { found } }, preview) => (code === 'count_differs' && typeof found === 'number' ? text.differs(count(found), count(preview?.found ?? 0)) : null),
    run: ({ reason, preview }) => call({ reason, count: preview?.found ?? 0, ...(force && { force }) }),
    done: ({ run }) => (
      <Stack gap="sm">
        <Text size="sm">{text.started}</Text>
        {run !== null && (
          <Anchor component={Link} to={pathTo.redrive(run.id, { namespace })} size="sm">
            {text.watch}
          </Anchor>
        )}
      </Stack>
    ),
  };
  return <ActionButton action={action} variant="filled" blocked={blocked} />;
}

interface OutlookProps {
  readonly outlook: NonNullable<Answer['outlook']>;
  readonly found: number;
  readonly force: boolean;
}

/** What would be refused as it stands; with `force` the bound on redrives is none. */
function Outlook({ outlook: { looked, refusals }, found, force }: OutlookProps) {
  const left = Object.entries(refusals).filter(([code]) => !(force && code === 'max_redrives'));
  const total = left.reduce((sum, [, letters]) => sum + letters, 0);
  if (total === 0) return null;
  return (
    <div>
      <Text size="sm">{text.outlook(count(looked - total), count(total))}</Text>
      <List size="sm">
        {left.map(([code, letters]) => (
          <List.Item key={code}>{`${count(letters)}: ${refusalWord(code)}`}</List.Item>
        ))}
      </List>
      {looked < found && (
        <Text size="sm" c="dimmed">
          {text.sampled(count(looked))}
        </Text>
      )}
    </div>
  );
}
