import { Button, List, Text } from '@mantine/core';
import { useState } from 'react';
import { Count } from '../../kit/Count';
import { Facts } from '../../kit/Facts';
import { JobLink } from '../../kit/JobLink';
import { LevelText } from '../../kit/LevelText';
import { Name } from '../../kit/Name';
import { StatusText } from '../../kit/StatusText';
import { When } from '../../kit/When';
import { common } from '../../text/common';
import { count, duration } from '../../text/format';
import { waits } from '../../text/waits';
import { stuck } from '../../text/stuck';
import { LevelButton } from './LevelButton';
import { percent } from './percent';
import classes from './Shadow.module.css';
import type { ShadowRow } from './stuck-queries';

const { shadow: text } = stuck;
const { columns: titles } = text;

/** One action of one queue: how it stands, how often it was right, and what that speaks for. */
export function ShadowEntry({ row }: { readonly row: ShadowRow }) {
  const [opened, setOpened] = useState(false);
  const action = waits.action[row.action];
  return (
    <li className={classes.row}>
      <div className={classes.head}>
        <div className={classes.name}>
          <Name text={row.queue} />
          <Text span size="sm" c="dimmed">
            {action}
          </Text>
        </div>
        <LevelText level={row.level} />
        <Precision row={row} />
        <Advice row={row} />
        <LevelButton row={row} />
        <Button size="compact-xs" variant="default" aria-expanded={opened} aria-label={text.details(row.queue, action)} onClick={() => setOpened(!opened)}>
          {opened ? text.less : text.more}
        </Button>
      </div>
      {opened && <Details row={row} />}
    </li>
  );
}

/** How often it was right, with what can be said for sure drawn as a mark: the bound moves with every verdict. */
function Precision({ row: { precision, lowerBound, confirmed, wrong } }: { readonly row: ShadowRow }) {
  const graded = confirmed + wrong;
  if (precision === null || lowerBound === null) {
    return (
      <Text size="sm" c="dimmed" className={classes.precision}>
        {text.ungraded}
      </Text>
    );
  }
  const said = text.right(percent(precision), count(graded), percent(lowerBound));
  return (
    <div className={classes.precision}>
      <div className={classes.track} role="img" aria-label={said} data-wrong={confirmed === 0 || undefined}>
        <div className={classes.fill} style={{ width: percent(precision) }} />
        <div className={classes.bound} style={{ left: percent(lowerBound) }} />
      </div>
      <Text size="xs" aria-hidden title={text.boundMeans(percent(lowerBound))}>
        {said}
      </Text>
      {confirmed === 0 && <StatusText text={text.allWrong(count(graded))} tone="warn" shape="triangle" />}
    </div>
  );
}

function Advice({ row: { next, suggested, detail, code } }: { readonly row: ShadowRow }) {
  const word = next === null ? text.top : suggested ? text.suggested(common.level[next]) : text.notYet(common.level[next]);
  return (
    <div className={classes.advice}>
      <StatusText text={word} tone={suggested ? 'ok' : 'calm'} shape={suggested ? 'bolt' : 'ring'} />
      <Text size="xs" c="dimmed">
        {code === 'unsafe' || code === 'at_act' ? text.code[code] : `${text.code[code]} ${detail}.`}
      </Text>
    </div>
  );
}

function Details({ row }: { readonly row: ShadowRow }) {
  const { would, done, thresholds, wrongOnes } = row;
  return (
    <div className={classes.details}>
      <Facts
        facts={[
          [titles.verdicts, <Count key="verdicts" value={row.verdicts} />],
          [titles.right, <Count key="right" value={row.confirmed} />],
          [titles.wrong, <Count key="wrong" value={row.wrong} />],
          [titles.open, <Count key="open" value={row.open} />],
        ]}
      />
      <Text size="sm">{`${text.would(count(would.requeues), count(would.retries), count(would.deadLetters))} ${text.done(count(done.requeues), count(done.deadLetters))}`}</Text>
      {thresholds.length > 0 && (
        <div>
          <Text size="sm" c="dimmed">
            {text.thresholds}
          </Text>
          <List size="sm">
            {thresholds.map(({ verdict, source, leastMs, mostMs, verdicts }) => (
              <List.Item key={`${String(verdict)} ${source}`}>
                {text.threshold(verdict ?? text.noVerdict, sourceText(source), duration(leastMs), duration(mostMs), count(verdicts))}
              </List.Item>
            ))}
          </List>
        </div>
      )}
      {wrongOnes.length > 0 && (
        <div>
          <Text size="sm" c="dimmed">
            {text.wrongOnes}
          </Text>
          <List size="sm">
            {wrongOnes.map(({ verdictId, id, attempt, gradedAt }) => (
              <List.Item key={verdictId}>
                <JobLink job={{ namespace: row.namespace, queue: row.queue, id }} /> {text.wrongLine(String(attempt))}, <When at={gradedAt} />
              </List.Item>
            ))}
          </List>
        </div>
      )}
    </div>
  );
}

const sourceText = (source: string): string => (Object.hasOwn(text.source, source) ? text.source[source as keyof typeof text.source] : source);
