/**
 * Where the token of a key is kept: on the same slot of a cluster, as a script may only touch keys of one slot. A key with
 * a hash tag (`{user:1}:cart`) keeps its tag, any other one becomes the tag.
 *
 * @throws RangeError for a key with a brace that makes no tag (`a}b`): no other key could be put on its slot.
 */
export function fenceKey(key: string): string {
  const open = key.indexOf('{');
  const tagged = open >= 0 && key.indexOf('}', open) > open + 1;
  if (tagged) return `${key}:fence`;
  if (/[{}]/u.test(key)) throw new RangeError(`The key ${JSON.stringify(key)} has a brace but no hash tag: its fence could lie on another slot.`);
  return `{${key}}:fence`;
}
