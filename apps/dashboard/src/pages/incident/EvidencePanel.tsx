import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, read } from '../../api/client';
import { DownloadButton } from '../../kit/DownloadButton';
import { Panel } from '../../kit/Panel';
import { QueryView } from '../../kit/QueryView';
import { StatusText } from '../../kit/StatusText';
import { When } from '../../kit/When';
import { count, visible } from '../../text/format';
import { incident as words } from '../../text/incident';
import { evidenceQuery, type Evidence } from './incident-queries';

const { evidence: text } = words;
type Part = Evidence['parts'][number];

/** What one bad worker was asked for, and what came of it. */
export function EvidencePanel({ incidentId }: { readonly incidentId: string }) {
  const query = useQuery(evidenceQuery(incidentId));
  return (
    <Panel title={text.title}>
      <QueryView query={query} lines={1}>
        {(items) => {
          const [evidence] = items;
          return evidence === undefined ? (
            <Text size="sm" c="dimmed">
              {`${text.none}. ${text.noneText}`}
            </Text>
          ) : (
            <One evidence={evidence} />
          );
        }}
      </QueryView>
    </Panel>
  );
}

function One({ evidence }: { readonly evidence: Evidence }) {
  const { worker, revision, outcome, parts, erased, askedAt, id } = evidence;
  const kept = parts.filter(({ state }) => state === 'kept');
  return (
    <Stack gap="xs">
      <Text size="sm">
        {worker === null ? text.nobody : text.asked(visible(worker), revision === null ? text.anyRevision : visible(revision))} <When at={askedAt} />
      </Text>
      <StatusText
        text={outcome === null ? text.waiting : text.outcome[outcome]}
        tone={outcome === 'captured' ? 'ok' : outcome === null ? 'busy' : 'warn'}
        shape={outcome === 'captured' ? 'dot' : outcome === null ? 'ring' : 'triangle'}
        wraps
      />
      {parts.map((part) => (
        <PartRow key={part.kind} id={id} part={part} gone={erased !== null} />
      ))}
      {erased !== null && <Text size="sm">{text.erased(visible(erased.by), visible(erased.reason))}</Text>}
      {kept.length > 0 && erased === null && (
        <Text size="xs" c="dimmed">
          {text.restricted}
        </Text>
      )}
    </Stack>
  );
}

function PartRow({ id, part, gone }: { readonly id: string; readonly part: Part; readonly gone: boolean }) {
  const { kind, state, bytes, reason } = part;
  return (
    <Group gap="sm">
      <Text size="sm">
        {`${text.kind[kind]}: ${state === 'kept' ? text.size(count(Math.ceil(bytes / 1_024))) : text.state[state]}${reason === null ? '' : ` (${visible(reason)})`}`}
      </Text>
      {state === 'kept' && !gone && (
        <DownloadButton
          label={`${text.download}: ${text.kind[kind]}`}
          scope="admin"
          fileName={kind === 'report' ? `evidence-${id}.json` : `evidence-${id}.heapsnapshot`}
          load={() => read<Blob>(api.GET('/v1/evidence/{id}/{kind}', { params: { path: { id, kind } }, parseAs: 'blob' }))}
        />
      )}
    </Group>
  );
}
