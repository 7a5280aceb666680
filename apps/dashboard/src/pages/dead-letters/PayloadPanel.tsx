import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { BodyFold } from '../../kit/BodyFold';
import { bodyQuery } from '../../kit/body-query';
import { Panel } from '../../kit/Panel';
import { QueryView } from '../../kit/QueryView';
import { deadLetters } from '../../text/dead-letters';
import { count, visible } from '../../text/format';
import { job as jobWords } from '../../text/job';
import type { Letter } from './letter-queries';
import { PayloadEditor } from './PayloadEditor';

const { patch: text } = deadLetters;
/** More is no pleasure in a text field. */
const MOST_BYTES = 64 * 1_024;

interface Props {
  readonly letter: Letter;
  readonly onDraft: (draft: TypedDraft | null) => void;
}

/** What was typed, and for which payload. */
export interface TypedDraft {
  readonly typed: string;
  readonly hash: string;
}

/** What it ran with, to be looked at, or to be changed before it runs again. */
export function PayloadPanel({ letter, onDraft }: Props) {
  const { payload, erased } = letter;
  return (
    <Panel title={text.title}>
      {erased !== undefined ? (
        <Text size="sm">{jobWords.bodies.erased}</Text>
      ) : payload === undefined ? (
        <Text size="sm" c="dimmed">
          {text.none}
        </Text>
      ) : 'ref' in payload ? (
        <Text size="sm">{text.elsewhere(visible(payload.ref))}</Text>
      ) : payload.bytes > MOST_BYTES ? (
        <>
          <Text size="sm">{text.large(count(MOST_BYTES))}</Text>
          <BodyFold body={payload} job={letter} show={jobWords.bodies.showPayload} hide={jobWords.bodies.hidePayload} />
        </>
      ) : (
        // Changed meanwhile, it is another payload: what was typed was typed for the old one.
        <Editable key={payload.hash} letter={letter} hash={payload.hash} onDraft={onDraft} />
      )}
    </Panel>
  );
}

function Editable({ letter: { namespace, queue, id }, hash, onDraft }: Props & { readonly hash: string }) {
  const [opened, edit] = useDisclosure(false);
  const job = { namespace, queue, id };
  const body = useQuery({ ...bodyQuery(job, hash), enabled: opened });
  if (!opened) {
    return (
      <Button size="xs" variant="default" onClick={edit.open}>
        {text.edit}
      </Button>
    );
  }
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {text.lead}
      </Text>
      <QueryView query={body} lines={4}>
        {(bytes) => <PayloadEditor job={job} bytes={bytes} onDraft={(typed) => onDraft(typed === null ? null : { typed, hash })} />}
      </QueryView>
    </Stack>
  );
}
