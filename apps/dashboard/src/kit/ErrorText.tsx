import { Text } from '@mantine/core';
import type { components } from '../api/generated/schema';
import type { JobRef } from '../routes/paths';
import { visible } from '../text/format';
import { job as words } from '../text/job';
import { BodyFold } from './BodyFold';
import classes from './ErrorText.module.css';

const { causes: text } = words;

export type ChainError = components['schemas']['ChainError'];

interface Props {
  readonly error: ChainError;
  readonly job: JobRef;
  readonly small?: boolean;
}

/** Class and message of an error as text, whatever they hold; its stack is read when it is asked for. */
export function ErrorText({ error, job, small = false }: Props) {
  const { class: name, message, code, responseStatus, stack } = error;
  const facts = [code === undefined ? null : text.code(visible(code)), responseStatus === undefined ? null : text.http(String(responseStatus))].filter((fact) => fact !== null);
  return (
    <div className={small ? classes.small : classes.error}>
      <p className={classes.message}>
        <b>
          <bdi>{visible(name)}</bdi>
        </b>
        {': '}
        <bdi>{lines(message)}</bdi>
      </p>
      {facts.length > 0 && (
        <Text size="xs" c="dimmed">
          {facts.join(' · ')}
        </Text>
      )}
      {stack !== undefined && <BodyFold body={stack} job={job} show={text.stack} hide={text.hideStack} />}
    </div>
  );
}

/** Line ends stay, everything else that cannot be seen is written out. */
const lines = (message: string): string => message.split('\n').map(visible).join('\n');
