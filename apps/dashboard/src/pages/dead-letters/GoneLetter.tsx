import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Empty } from '../../kit/Empty';
import { When } from '../../kit/When';
import { pathTo, type JobRef } from '../../routes/paths';
import { deadLetters } from '../../text/dead-letters';
import { visible } from '../../text/format';
import { fateQuery } from './letter-queries';

const { letter: text } = deadLetters;

/** In place of a letter that is none any more: what became of it, and where to go from here. */
export function GoneLetter({ job }: { readonly job: JobRef }) {
  const { data: fate } = useQuery(fateQuery(job));
  const says = fate == null ? null : text.fate[fate.kind as keyof typeof text.fate](visible(fate.by));
  return (
    <div role="status">
      <Empty title={text.gone} {...(says === null && { text: text.goneText })}>
        {says !== null && fate != null && (
          <Text size="sm">
            {says}
            {text.fateWhy(visible(fate.reason))} <When at={fate.at} />
          </Text>
        )}
        <Anchor component={Link} to={pathTo.job(job)} size="sm">
          {text.toJob}
        </Anchor>
      </Empty>
    </div>
  );
}
