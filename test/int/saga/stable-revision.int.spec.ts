import { afterEach, describe, expect, it } from 'vitest';
import { LANE_HTTP, type LaneEvent } from '#libs/application';
import { MINUTE, play, T0 as PLAY_T0, WELL } from '../../incidents/play.js';
import { Stage, T0, TARGET, typesOf } from './stage.js';

const HOUR = 60 * MINUTE;
const BEGINS = 10;
const bug = { class: 'TypeError', message: "Cannot read properties of undefined (reading 'total')" };

/** From minute 10 on half of the work is the second release's, and fails. */
const failing = play({
  ...{ minutes: 14, queues: ['mails'], prefix: '', perMinute: () => 120 },
  revisions: { v1: () => 0.5, v2: (at) => (at < BEGINS ? 0 : 0.5) },
  ran: (run) => (run.revision === 'v2' && run.chance() < 0.9 ? { ms: 400, error: bug } : WELL),
});

/** Some jobs that both releases did well, long before; the second came five minutes after the first. */
const CAME = 5;
const before = play({ minutes: 7, queues: ['mails'], prefix: 'before-', perMinute: () => 20, revisions: { v1: () => 0.5, v2: (at) => (at < CAME ? 0 : 0.5) }, ran: () => WELL });

describe('a release that fails beside another one, by the log alone', () => {
  const stages: Stage[] = [];
  afterEach(async () => {
    for (const stage of stages.splice(0)) await stage.close();
  });

  const take = async (stage: Stage, events: readonly LaneEvent[], rename: string): Promise<void> => {
    const at = (e: LaneEvent) => e.laneMs - PLAY_T0 + stage.nowMs;
    const ofQueue = (e: LaneEvent) => JSON.parse(JSON.stringify(e.cloudEvent).replaceAll(`"queue":"${rename}mails"`, '"queue":"mails"')) as unknown;
    const options = { lane: LANE_HTTP, origin: 'test', namespaces: null };
    await stage.world.ingestUseCase.ingest(events.map(ofQueue), { ...options, timesMs: events.map(at) });
  };

  /** The run that comes of it. */
  const run = async (stage: Stage) => {
    await take(stage, failing, '');
    await stage.pass(14 * MINUTE);
    await stage.signals.tell([stage.signalOf('mails')]);
    const controller = stage.controller({ causes: stage.realCauses() });
    const over = ['escalated', 'isolated'];
    return await stage.drive(controller, (steps) => steps.some(({ type }) => over.includes(type)));
  };

  it('and was at work a day ago already is no deploy that could be taken back: a person is called, and nothing is done (K5)', async () => {
    const stage = await Stage.open();
    stages.push(stage);
    await take(stage, before, 'before-');
    await stage.pass(30 * HOUR);
    const steps = await run(stage);
    expect(steps.find(({ type }) => type === 'cause-assessed')?.evidence).toMatchObject({ cause: 'bad_revision', subject: 'v2', action: 'rollback', plan: { does: 'nothing', refused: { code: 'no_recent_deploy' } } });
    expect(Number(steps.find(({ type }) => type === 'cause-assessed')?.evidence?.['firstSeenMs'])).toBeLessThan(T0 + 7 * MINUTE);
    expect(typesOf(steps)).toEqual(['opened', 'cause-assessed', 'escalated']);
    expect(steps.at(-1)?.evidence).toMatchObject({ code: 'no_recent_deploy' });
    expect([stage.applied, (await stage.pool()).revision, await stage.gate('mails')]).toEqual([0, 'v2', 'open']);
    expect(stage.quarantine.refusedOf({ namespace: 'default', queue: 'mails' })).toEqual([]);
  });

  it('and is new is taken out of service and back', async () => {
    const stage = await Stage.open();
    stages.push(stage);
    const steps = await run(stage);
    expect(steps.find(({ type }) => type === 'cause-assessed')?.evidence).toMatchObject({ cause: 'bad_revision', subject: 'v2', action: 'rollback', plan: { does: 'roll-back' } });
    expect(Number(steps.find(({ type }) => type === 'cause-assessed')?.evidence?.['firstSeenMs'])).toBeGreaterThanOrEqual(T0 + BEGINS * MINUTE - 10_000);
    expect(steps[0]?.evidence).toMatchObject({ target: TARGET });
    expect(stage.quarantine.refusedOf({ namespace: 'default', queue: 'mails' })).toEqual(['v2']);
  });
});
