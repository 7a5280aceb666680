import { Button, Checkbox, Group, Stack, Text, Textarea } from '@mantine/core';
import { useMemo, useState } from 'react';
import { ActionButton } from '../../kit/ActionButton';
import type { Action } from '../../kit/ActionDialog';
import { indentJson } from '../../kit/indent-json';
import type { JobRef } from '../../routes/paths';
import { deadLetters } from '../../text/dead-letters';
import { visible } from '../../text/format';
import classes from './DeadLetters.module.css';
import { applyPatch, previewPatch, type PatchAnswer } from './patch-call';
import { PatchDiff } from './PatchDiff';
import { changeOf, treeOf } from './payload-change';

const { patch: text, letter: letterWords } = deadLetters;

interface Props {
  readonly job: JobRef;
  readonly bytes: string;
}

/** The payload as text that can be changed; what was changed is sent as a JSON Patch, after it was shown as a difference. */
export function PayloadEditor({ job, bytes }: Props) {
  const before = useMemo(() => treeOf(bytes), [bytes]);
  const shown = useMemo(() => indentJson(bytes), [bytes]);
  const [typed, setTyped] = useState(shown);
  const [force, setForce] = useState(false);
  if (before === null) return <Text size="sm">{text.notEditable}</Text>;
  const { ops, fault } = changeOf(before, typed);
  const action: Action<PatchAnswer, PatchAnswer> = {
    label: text.apply,
    preview: (signal) => previewPatch(job, ops ?? [], signal),
    says: (preview) =>
      preview !== undefined && (
        <Stack gap="sm">
          <span>{text.says(visible(job.id), text.places(preview.changes.length))}</span>
          <PatchDiff answer={preview} />
          <Checkbox label={letterWords.force} checked={force} onChange={({ currentTarget }) => setForce(currentTarget.checked)} />
        </Stack>
      ),
    reason: 'needed',
    run: ({ reason, preview }) => applyPatch(job, ops ?? [], { reason, preview, force }),
  };
  return (
    <Stack gap="sm">
      <Textarea className={classes.editor ?? ''} label={text.field} value={typed} onChange={({ currentTarget }) => setTyped(currentTarget.value)} error={fault} autosize minRows={4} maxRows={24} autoComplete="off" spellCheck={false} />
      <Group gap="xs">
        <ActionButton action={action} variant="filled" blocked={fault ?? (ops.length === 0 ? text.same : null)} />
        {typed !== shown && (
          <Button size="xs" variant="default" onClick={() => setTyped(shown)}>
            {text.reset}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
