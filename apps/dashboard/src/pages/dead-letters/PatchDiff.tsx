import { Stack, Text } from '@mantine/core';
import { deadLetters } from '../../text/dead-letters';
import { visible } from '../../text/format';
import classes from './DeadLetters.module.css';
import type { PatchAnswer } from './patch-call';

const { patch: text } = deadLetters;

/** Place by place what stood there and what would, by sign and word as well as by colour. */
export function PatchDiff({ answer: { changes, redacted, schema } }: { readonly answer: PatchAnswer }) {
  return (
    <Stack gap="xs">
      <div className={classes.diff} role="region" aria-label={text.diff} tabIndex={0}>
        {changes.map(({ path, before, after }) => (
          <div key={path}>
            <div className={classes.place}>{path === '' ? text.whole : visible(path)}</div>
            {before !== undefined && (
              <del className={classes.old}>
                <span className="visually-hidden">{`${after === undefined ? text.removed : text.before}: `}</span>
                {`− ${visible(before)}`}
              </del>
            )}
            {after !== undefined && (
              <ins className={classes.fresh}>
                <span className="visually-hidden">{`${before === undefined ? text.added : text.after}: `}</span>
                {`+ ${visible(after)}`}
              </ins>
            )}
          </div>
        ))}
      </div>
      {redacted.length > 0 && <Text size="sm">{text.redacted(redacted.map(visible).join(', '))}</Text>}
      {schema !== undefined && <Text size="sm">{text.schema(visible(schema))}</Text>}
    </Stack>
  );
}
