import { afterEach, describe, expect, it } from 'vitest';
import { LANE_HTTP, type LaneEvent } from '#libs/application';
import { pageOf, type IncidentStepType } from '#libs/domain';
import { DEFAULT_POLICY } from '#libs/testing';
import { MINUTE, play, T0 as PLAY_T0, type Ran } from '../../incidents/play.js';
import { bothAtOnce, oneOutage, QUEUES } from './noisy-log.js';
import { Stage, T0 } from './stage.js';

/** Half of the queues are told as saturated then, the others a minute later. */
const FIRST = 11 * MINUTE;
const SECOND = 12 * MINUTE;
const BATCH = 1_000;

describe('two hundred queues that fail at once', () => {
  const stages: Stage[] = [];
  afterEach(async () => {
    for (const stage of stages.splice(0)) await stage.close();
  });

  const open = async (): Promise<Stage> => {
    const stage = await Stage.open({ rollback: { ...DEFAULT_POLICY.rollback, target: null, coolDownMs: 0 }, readmit: DEFAULT_POLICY.readmit });
    stages.push(stage);
    return stage;
  };

  /** Goes in up to so many ms of the play. */
  const take = async (stage: Stage, events: readonly LaneEvent[], fromMs: number, toMs: number): Promise<void> => {
    const some = events.map((e) => ({ ...e, laneMs: e.laneMs - PLAY_T0 + T0 })).filter((e) => e.laneMs >= T0 + fromMs && e.laneMs < T0 + toMs);
    for (let at = 0; at < some.length; at += BATCH) {
      const batch = some.slice(at, at + BATCH);
      const answers = await stage.world.ingestUseCase.ingest(batch.map((e) => e.cloudEvent), { lane: LANE_HTTP, origin: 'test', namespaces: null, timesMs: batch.map((e) => e.laneMs) });
      expect(answers.every(({ outcome }) => outcome === 'appended' || outcome === 'recorded')).toBe(true);
    }
    await stage.pass(toMs - fromMs);
  };

  /** All steps that make somebody's pager ring. */
  const pages = async (stage: Stage): Promise<number> => {
    const steps = await stage.world.database.query<{ type: IncidentStepType }>('SELECT type FROM jobwarden.incident_steps');
    return steps.map(pageOf).filter((page) => page === 'page' || page === 'escalated').length;
  };

  const told = async (ran: (queue: number) => (run: { readonly at: number; readonly chance: () => number }) => Ran): Promise<Stage> => {
    const stage = await open();
    const of = new Map(QUEUES.map((queue, i) => [queue, ran(i)]));
    const events = play({
      ...{ minutes: 12, queues: QUEUES, kinds: ['only'], workers: 12, beatMs: 20_000, perMinute: () => 900 },
      revisions: { v1: () => 0.5, v2: () => 0.5 },
      ran: (run) => of.get(run.queue)?.(run) ?? { ms: 1 },
    });
    const controller = stage.controller({ causes: stage.realCauses() });
    const settle = async (): Promise<void> => {
      for (let i = 0; i < 20 && (await stage.world.database.query('SELECT FROM jobwarden.signals WHERE incident_id IS NULL')).length > 0; i += 1) await controller.step();
      expect(await stage.world.database.query('SELECT FROM jobwarden.signals WHERE incident_id IS NULL')).toEqual([]);
    };
    await take(stage, events, 0, FIRST);
    // Every other one, so that each batch has queues of each sort.
    await stage.signals.tell(QUEUES.filter((_, i) => i % 2 === 0).map((queue) => stage.signalOf(queue)));
    await settle();
    await take(stage, events, FIRST, SECOND);
    await stage.signals.tell(QUEUES.filter((_, i) => i % 2 === 1).map((queue) => stage.signalOf(queue)));
    await settle();
    return stage;
  };

  it('for one cause are one incident and one page, whatever each of them calls it', async () => {
    const stage = await told(oneOutage);
    expect((await stage.all()).map(({ subject }) => subject)).toEqual(['default/downstream_outage/api.example.com']);
    expect(await pages(stage)).toBe(1);
    const [{ id } = { id: '' }] = await stage.all();
    expect((await stage.runs.queues(id)).filter(({ saturated }) => saturated)).toHaveLength(QUEUES.length);
  });

  it('for two causes are two, each with its own queues', async () => {
    const stage = await told(bothAtOnce);
    const all = await stage.all();
    expect(all.map(({ subject }) => subject).sort()).toEqual(['default/downstream_outage/api.example.com', 'default/lock_contention']);
    expect(await pages(stage)).toBe(2);
    for (const { id, subject } of all) {
      const numbers = (await stage.runs.queues(id)).map(({ queue }) => Number(queue.slice(1)));
      const locked = numbers.filter((n) => n >= QUEUES.length / 2).length;
      expect(subject.includes('lock') ? locked / numbers.length : 1 - locked / numbers.length, subject).toBeGreaterThan(0.9);
    }
  });
});
