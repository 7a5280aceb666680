import { Anchor, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { api, read } from '../../api/client';
import { Problem } from '../../api/problem';
import { ActionButton } from '../../kit/ActionButton';
import type { Action } from '../../kit/ActionDialog';
import { wordOf } from '../../kit/word-of';
import { Empty } from '../../kit/Empty';
import { Page } from '../../kit/Page';
import { Panel } from '../../kit/Panel';
import { QueryView } from '../../kit/QueryView';
import { pathTo } from '../../routes/paths';
import { deadLetters } from '../../text/dead-letters';
import { count, duration, visible } from '../../text/format';
import { redriveQuery, type RedriveRun } from './letter-queries';
import { RedriveFacts } from './RedriveFacts';
import { RedriveProgress } from './RedriveProgress';
import { RunStatus } from './RunStatus';
import { refusalWord } from './words';

const { redrive: text } = deadLetters;

export default function RedrivePage() {
  const { id = '' } = useParams();
  const found = useQuery(redriveQuery(id));
  const unknown = found.error instanceof Problem && found.error.status === 404;
  const run = found.data;
  return (
    <Page title={text.title(visible(id))} lead={run !== undefined && <RunStatus status={run.status} />} actions={run !== undefined && <ActionButton action={stopping(run)} blocked={run.status === 'running' ? null : text.over} />}>
      {unknown ? <Empty title={text.unknown} text={text.unknownText} /> : <QueryView query={found}>{(one) => <Known run={one} />}</QueryView>}
    </Page>
  );
}

function stopping({ id, left }: RedriveRun): Action<undefined, unknown> {
  return {
    label: text.stop,
    dangerous: true,
    says: () => text.stopSays(count(left)),
    reason: 'none',
    refused: ({ code }) => wordOf(text.conflict, code),
    run: () => read(api.POST('/v1/dead-letters/redrives/{id}/stop', { params: { path: { id } } })),
  };
}

function Known({ run }: { readonly run: RedriveRun }) {
  const refusals = Object.entries(run.refusals);
  return (
    <>
      <Panel title={text.progress}>
        <Stack gap="sm">
          <Text size="sm" role="status">
            {standing(run)}
          </Text>
          <RedriveProgress run={run} legend />
          {run.redriven > 0 && (
            <Text size="sm">
              {text.after}{' '}
              <Anchor component={Link} to={pathTo.jobs({ namespace: run.namespace, queue: run.queue, kind: run.kind })} size="sm">
                <bdi>{text.jobs(visible(run.queue))}</bdi>
              </Anchor>
            </Text>
          )}
        </Stack>
      </Panel>
      {refusals.length > 0 && (
        <Panel title={text.refused}>
          <List size="sm">
            {refusals.map(([code, letters]) => (
              <List.Item key={code}>{`${count(letters)}: ${refusalWord(code)}`}</List.Item>
            ))}
          </List>
        </Panel>
      )}
      <Panel title={text.heading}>
        <RedriveFacts run={run} />
      </Panel>
    </>
  );
}

function standing({ status, redriven, refused, left, wanted, perSecond, stoppedBy }: RedriveRun): string {
  switch (status) {
    case 'running':
      return [text.standing.running(count(redriven + refused), count(wanted)), ...(left > 0 ? [text.eta(duration(Math.ceil(left / perSecond) * 1_000))] : [])].join(' ');
    case 'stopped':
      return text.standing.stopped(stoppedBy === undefined ? null : visible(stoppedBy), count(redriven), count(left));
    case 'finished':
      return text.standing.finished(count(redriven), count(refused));
  }
}
