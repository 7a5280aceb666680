import { Tile } from '../../kit/Tile';
import { pathTo } from '../../routes/paths';
import { count, duration, ratio, visible } from '../../text/format';
import { overview as text } from '../../text/overview';
import { failureTone, standingOf } from './attention';
import classes from './Glance.module.css';
import type { Overview, OverviewQueue } from './overview-query';

const { glance } = text;
const LATE_MS = 10_000;
const VERY_LATE_MS = 60_000;

interface Props {
  readonly overview: Overview;
  readonly namespace: string | null;
}

/** A line of figures, each with what it means and where more is. */
export function Glance({ overview: { queues, openIncidents, lanes }, namespace }: Props) {
  const where = { namespace: namespace ?? undefined };
  const sum = (of: (queue: OverviewQueue) => number) => queues.reduce((total, queue) => total + of(queue), 0);
  const standings = queues.map(standingOf);
  const attention = standings.filter(({ weight }) => weight > 2).length;
  const urgent = standings.some(({ tone }) => tone === 'bad');
  const [stuck, held, waiting, running] = [sum((q) => q.stuck), sum((q) => q.held), sum((q) => q.waiting ?? 0), sum((q) => q.running)];
  const letters = sum((q) => q.deadLettered);
  const [failed, succeeded] = [sum((q) => q.recent.failed), sum((q) => q.recent.succeeded)];
  const failures = failed + succeeded === 0 ? null : failed / (failed + succeeded);
  const slowest = furthestBehind(lanes);
  return (
    <section aria-label={glance.label} className={classes.glance}>
      <Tile
        name={glance.attention}
        value={count(attention)}
        hint={attention === 0 ? glance.attentionNone : glance.ofQueues(count(queues.length))}
        tone={attention === 0 ? 'ok' : urgent ? 'bad' : 'warn'}
        to={pathTo.overview({ ...where, attention: 'yes' })}
      />
      <Tile name={glance.stuck} value={count(stuck)} hint={stuck > 0 ? null : held > 0 ? glance.stuckHeld : glance.stuckNone} tone={stuck > 0 ? 'bad' : held > 0 ? 'calm' : 'ok'} to={pathTo.stuck(where)} />
      <Tile
        name={glance.incidents}
        value={count(openIncidents)}
        hint={openIncidents === 0 ? glance.incidentsNone : null}
        tone={openIncidents === 0 ? 'ok' : 'bad'}
        to={pathTo.incidents(where)}
      />
      <Tile name={glance.held} value={count(held)} hint={held === 0 ? glance.heldNone : null} tone={held === 0 ? 'ok' : 'warn'} to={pathTo.stuck(where)} />
      <Tile
        name={glance.failures}
        value={failures === null ? '–' : ratio(failures)}
        hint={glance.failuresHint(count(failed + succeeded))}
        tone={failureTone(failed, failed + succeeded) ?? 'calm'}
        to={pathTo.overview({ ...where, sort: '-failures' })}
      />
      <Tile name={glance.letters} value={count(letters)} hint={letters === 0 ? glance.lettersNone : glance.lettersHint} tone={letters === 0 ? 'ok' : 'calm'} to={pathTo.deadLetters(where)} />
      <Tile name={glance.waiting} value={count(waiting)} hint={glance.waitingHint(count(running))} tone="calm" to={pathTo.jobs({ ...where, status: 'queued' })} />
      <Tile
        name={glance.lag}
        value={slowest === null ? '–' : duration(slowest.lagMs)}
        hint={slowest === null ? null : slowest.lagMs < LATE_MS ? glance.lagNone : glance.lagHint(visible(slowest.lane))}
        tone={slowest === null ? 'calm' : slowest.lagMs >= VERY_LATE_MS ? 'bad' : slowest.lagMs >= LATE_MS ? 'warn' : 'ok'}
      />
    </section>
  );
}

function furthestBehind(lanes: Overview['lanes']): { readonly lane: string; readonly lagMs: number } | null {
  const read = lanes.flatMap(({ lane, lagMs, retired }) => (lagMs === null || retired === true ? [] : [{ lane, lagMs }]));
  return read.reduce<(typeof read)[number] | null>((most, one) => (most === null || one.lagMs > most.lagMs ? one : most), null);
}
