import { describe, expect, it } from 'vitest';
import { KafkaPlaces } from './kafka-places.js';

type Bounds = readonly [low: number, high: number];

/** Of partitions 0, 1 … */
function topic(...bounds: Bounds[]) {
  const answer = () => Promise.resolve(bounds.map(([low, high], partition) => ({ partition, low: String(low), high: String(high) })));
  const at = { answer };
  return { places: new KafkaPlaces({ fetchTopicOffsets: () => at.answer() }, 'topic'), bounds, at };
}

const id = (...offsets: number[]) => JSON.stringify(Object.fromEntries(offsets.map((offset, partition) => [partition, String(offset)])));

describe('places in a topic', () => {
  it('begin at its end, where nothing is known', async () => {
    const { places } = topic([2, 9], [0, 0]);
    expect(await places.begin(null)).toBe(false);
    expect([places.id, places.behind]).toEqual([id(9, 0), 0]);
  });

  it('begin where somebody was, and count what has come since', async () => {
    const { places } = topic([2, 9], [0, 4]);
    expect(await places.begin(id(5, 4))).toBe(false);
    expect([places.id, places.behind]).toEqual([id(5, 4), 4]);
  });

  it('begin in a partition that is new with its first record', async () => {
    const { places } = topic([2, 9], [1, 4]);
    expect(await places.begin(id(9))).toBe(false);
    expect(places.id).toBe(id(9, 1));
  });

  it.each([
    ['were deleted', id(1, 4), id(2, 4)],
    ['lie behind the end of a topic that was made anew', id(10, 4), id(9, 4)],
    ['had another partition', id(9, 4, 7), id(9, 4)],
    ['are no places', 'x', id(9, 4)],
  ])('are lost where they %s', async (_, from, goesOn) => {
    const { places } = topic([2, 9], [0, 4]);
    expect(await places.begin(from)).toBe(true);
    expect(places.id).toBe(goesOn);
  });

  it('are not lost by what is read while the brokers answer', async () => {
    const { places, at } = topic([2, 9]);
    await places.begin(id(9));
    at.answer = () => {
      places.read(0, '11');
      return Promise.resolve([{ partition: 0, low: '2', high: '10' }]);
    };
    expect(await places.look()).toBe(false);
    expect([places.id, places.behind]).toEqual([id(12), 0]);
  });

  it('take a hole in the offsets for one, and a jump over what is deleted for a loss', async () => {
    const { places, bounds } = topic([2, 9]);
    await places.begin(id(5));
    expect(await places.reach(0, '5')).toBe(false);
    expect(await places.reach(0, '7')).toBe(false);
    bounds[0] = [7, 9];
    expect(await places.reach(0, '7')).toBe(true);
  });

  it('take what comes from before them for another topic', async () => {
    const { places } = topic([0, 9]);
    await places.begin(id(9));
    expect(await places.reach(0, '3')).toBe(true);
    expect(places.id).toBe(id(3));
  });
});
