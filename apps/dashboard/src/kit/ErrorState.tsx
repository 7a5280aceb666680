import { Button, Code, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Problem } from '../api/problem';
import { common } from '../text/common';
import { visible } from '../text/format';
import { Mark } from './Mark';
import { NoScope } from './NoScope';
import classes from './states.module.css';

interface Props {
  readonly error: Error;
  readonly onRetry?: () => void;
  /** What else can be done about it. */
  readonly children?: ReactNode;
}

/** What went wrong, in the service's own words, and its code to search for. */
export function ErrorState({ error, onRetry, children }: Props) {
  const scope = missingScope(error);
  if (scope !== null) return <NoScope scope={scope}>{children}</NoScope>;
  const { title, text, code } = wordsOf(error);
  const request = failedRequest(error);
  return (
    <div role="alert" className={classes.state}>
      <Mark shape="error" />
      <Text fw={600}>{title}</Text>
      <Text size="sm">{text}</Text>
      {code !== null && (
        <Text size="sm" c="dimmed">
          {common.error.code} <Code>{code}</Code>
        </Text>
      )}
      {request !== null && (
        <Text size="sm" c="dimmed">
          {common.error.request} <Code>{request}</Code>
        </Text>
      )}
      {onRetry !== undefined && (
        <Button size="xs" variant="default" onClick={onRetry}>
          {common.error.retry}
        </Button>
      )}
      {children}
    </div>
  );
}

export interface ErrorWords {
  readonly title: string;
  readonly text: string;
  readonly code: string | null;
}

export function wordsOf(error: Error): ErrorWords {
  const { title } = common.error;
  if (!(error instanceof Problem)) return { title, text: error.message, code: null };
  if (error.status === 0) return { title, text: common.error.unreachable, code: null };
  return { title: error.title === '' ? title : error.title, text: error.detail, code: error.code };
}

/** By which the log of the service says more; null: it is no fault of the service, or the service did not say it. */
function failedRequest(error: Error): string | null {
  if (!(error instanceof Problem) || error.status < 500) return null;
  const { requestId } = error.members;
  return typeof requestId === 'string' ? visible(requestId) : null;
}

function missingScope(error: Error): string | null {
  if (!(error instanceof Problem) || error.code !== 'scope_missing') return null;
  return / scope (\w+)/.exec(error.detail)?.[1] ?? '';
}
