import { Text } from '@mantine/core';
import { EvidenceList } from '../../kit/EvidenceList';
import { causeSays, causeWord } from '../../kit/incident-words';
import { Name } from '../../kit/Name';
import { Panel } from '../../kit/Panel';
import { ratio } from '../../text/format';
import { incident } from '../../text/incident';
import { incidentWords } from '../../text/incident-words';
import { postmortem as text } from '../../text/postmortem';
import type { Postmortem } from './postmortem-query';

/** What it came from, as it was assessed last. */
export function CauseOf({ postmortem: { cause } }: { readonly postmortem: Postmortem }) {
  if (cause === null) {
    return (
      <Panel title={text.cause.title}>
        <Text size="sm">{text.cause.none}</Text>
      </Panel>
    );
  }
  const meaning = causeSays(cause.cause);
  return (
    <Panel title={text.cause.title} aside={<Text size="sm">{incidentWords.sure(ratio(cause.confidence))}</Text>}>
      <Text fw={600}>{incident.cause.named(causeWord(cause.cause))}</Text>
      {meaning !== null && <Text size="sm">{meaning}</Text>}
      {cause.selfSustained && <Text size="sm">{incident.cause.selfSustained}</Text>}
      {cause.subject !== null && (
        <Text size="sm">
          {`${incident.cause.blamed}: `}
          <Name text={cause.subject} />
        </Text>
      )}
      <EvidenceList evidence={cause.evidence} />
    </Panel>
  );
}
