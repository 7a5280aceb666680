import { List, Text } from '@mantine/core';
import { Panel } from '../../kit/Panel';
import { StatusText } from '../../kit/StatusText';
import { When } from '../../kit/When';
import { count, visible } from '../../text/format';
import { postmortem as text } from '../../text/postmortem';
import { missingIn } from './missing';
import type { Postmortem } from './postmortem-query';

/** Whether somebody stands for it, and what keeps it from that. */
export function Signature({ postmortem }: { readonly postmortem: Postmortem }) {
  const { signature } = postmortem;
  if (signature !== null) {
    return (
      <Panel title={text.signed(visible(signature.by))} aside={<When at={signature.at} />}>
        <StatusText text={text.signAlready} tone="ok" shape="dot" wraps />
        {signature.note !== null && <Text size="sm">{text.note(visible(signature.note))}</Text>}
      </Panel>
    );
  }
  const missing = missingIn(postmortem);
  return (
    <Panel title={text.notSigned}>
      <StatusText text={missing.length === 0 ? text.complete : text.missing(count(missing.length))} tone={missing.length === 0 ? 'ok' : 'warn'} shape={missing.length === 0 ? 'dot' : 'square'} />
      <Text size="sm">{text.open}</Text>
      {missing.length > 0 && (
        <List size="sm">
          {missing.map((what) => (
            <List.Item key={what}>{visible(what)}</List.Item>
          ))}
        </List>
      )}
    </Panel>
  );
}
