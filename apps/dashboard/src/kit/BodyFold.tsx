import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { JobRef } from '../routes/paths';
import { count, visible } from '../text/format';
import { job as words } from '../text/job';
import { bodyQuery, type BodyRef } from './body-query';
import { bodyText } from './body-text';
import classes from './BodyFold.module.css';
import { Copy } from './Copy';
import { QueryView } from './QueryView';

const { bodies: text } = words;

interface Props {
  readonly body: BodyRef;
  readonly job: JobRef;
  readonly show: string;
  readonly hide: string;
}

/** A body kept beside the log: read when it is opened, shown as text and nothing else. */
export function BodyFold({ body, job, show, hide }: Props) {
  const [opened, fold] = useDisclosure(false);
  const id = useId();
  if (!('hash' in body)) return <Text size="sm">{text.reference(visible(body.ref))}</Text>;
  return (
    <div className={classes.fold}>
      <Button size="compact-xs" variant="default" aria-expanded={opened} aria-controls={id} onClick={fold.toggle}>
        {`${opened ? hide : show} (${text.size(count(body.bytes))})`}
      </Button>
      <div id={id}>{opened && <Opened hash={body.hash} job={job} label={show} />}</div>
    </div>
  );
}

function Opened({ hash, job: { namespace, queue, id }, label }: { readonly hash: string; readonly job: JobRef; readonly label: string }) {
  const body = useQuery(bodyQuery({ namespace, queue, id }, hash));
  return (
    <QueryView query={body} lines={3}>
      {(bytes) => {
        const { parts, redacted, cut } = bodyText(bytes);
        return (
          <>
            <Group gap="xs" my={4}>
              <Copy text={bytes} />
              {redacted > 0 && (
                <Text size="xs" c="dimmed">
                  {text.redactedNote(count(redacted))}
                </Text>
              )}
              {cut !== null && (
                <Text size="xs" c="dimmed">
                  {text.cut(count(cut.shown), count(cut.all))}
                </Text>
              )}
            </Group>
            <pre className={classes.body} tabIndex={0} role="region" aria-label={label}>
              {parts.map(({ text: part, redacted: gone, at }) => (gone ? <mark key={at}>{part}</mark> : part))}
            </pre>
          </>
        );
      }}
    </QueryView>
  );
}
