import { shown, type Reader } from './readers.js';
import type { Tree } from './yaml-tree.js';

const MEND = 'write rising shares that end with 100, such as [1, 10, 25, 50, 100]';

/** Rising shares in per cent, the last one 100: a list, or the same in one text with commas. */
export const percents: Reader<readonly number[]> = {
  type: 'list of per cent',
  rule: 'rising, more than 0, the last one 100, at most 20',
  read(tree) {
    const values = textsOf(tree).map(Number);
    const rising = values.every((value, i) => value > (values[i - 1] ?? 0));
    if (values.length > 0 && values.length <= 20 && rising && values.at(-1) === 100) return { ok: true, value: values };
    return { ok: false, rule: `must be shares that rise to 100, is ${shown(tree)}`, mend: MEND };
  },
};

function textsOf(tree: Tree): readonly string[] {
  if (tree.kind === 'scalar') return tree.text.split(',').map((text) => text.trim());
  return tree.kind === 'list' ? tree.items.map((item) => (item.kind === 'scalar' ? item.text : 'NaN')) : [];
}
