import { Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import { api, read } from '../../api/client';
import { ActionButton } from '../../kit/ActionButton';
import type { Action } from '../../kit/ActionDialog';
import { deadLetters } from '../../text/dead-letters';
import { visible } from '../../text/format';
import type { PatternDetail, Where } from './letter-queries';

const { review: text } = deadLetters;

/** All so far were looked through: of the queue that is chosen, or of all. */
export function ReviewAllButton({ where: { namespace, queue } }: { readonly where: Where }) {
  const action: Action<undefined, unknown> = {
    label: text.all,
    says: () => text.allSays(queue === undefined ? text.inNamespace(visible(namespace)) : text.inQueue(visible(queue))),
    reason: 'needed',
    run: ({ reason }) => read(api.POST('/v1/dead-letters/reviews', { params: { query: { namespace } }, body: { reason, ...(queue !== undefined && { queue }) } })),
  };
  return <ActionButton action={action} />;
}

const OUTCOMES = ['seen', 'fixed', 'ignored'] as const;
type Outcome = (typeof OUTCOMES)[number];

export function ReviewPatternButton({ pattern: { id, review } }: { readonly pattern: PatternDetail }) {
  const [outcome, setOutcome] = useState<Outcome>(review?.outcome ?? 'seen');
  const action: Action<undefined, unknown> = {
    label: text.pattern,
    says: () => (
      <Stack gap="sm">
        <span>{text.patternSays}</span>
        <Radio.Group label={text.choice} value={outcome} onChange={(value) => setOutcome(OUTCOMES.find((one) => one === value) ?? 'seen')}>
          <Stack gap={6} mt={4}>
            {OUTCOMES.map((one) => (
              <Radio key={one} value={one} label={text.outcomes[one]} />
            ))}
          </Stack>
        </Radio.Group>
      </Stack>
    ),
    reason: 'needed',
    run: ({ reason }) => read(api.POST('/v1/dead-letters/patterns/{id}/review', { params: { path: { id } }, body: { outcome, reason } })),
  };
  return <ActionButton action={action} />;
}
