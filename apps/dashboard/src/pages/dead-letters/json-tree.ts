/** JSON with each scalar as it is spelled: reading it with JSON.parse would round large integers and turn `1.0` into `1`. */
export type Json =
  | { readonly kind: 'object'; readonly members: ReadonlyMap<string, Json> }
  | { readonly kind: 'array'; readonly items: readonly Json[] }
  | { readonly kind: 'scalar'; readonly text: string };

/** A key stands twice in one object: whoever reads it takes one of them, and nobody knows which. */
export class KeyTwice extends Error {
  constructor(readonly key: string) {
    super(`the key ${JSON.stringify(key)} stands twice`);
  }
}

/** Deeper than the service takes, and less than what a call stack holds. */
export const MOST_DEEP = 200;

/** Objects and arrays lie too deep in each other to be walked. */
export class TooDeep extends Error {}

/** Throws SyntaxError where it is no JSON, {@link KeyTwice} and {@link TooDeep}. */
export function parseTree(text: string): Json {
  JSON.parse(text);
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gu) ?? [];
  let [at, depth] = [0, 0];
  const next = (): string => tokens[at++] ?? '';
  const value = (): Json => {
    const token = next();
    if (token !== '{' && token !== '[') return { kind: 'scalar', text: token };
    depth += 1;
    if (depth > MOST_DEEP) throw new TooDeep();
    const found = token === '{' ? object() : array();
    depth -= 1;
    return found;
  };
  const object = (): Json => {
    const members = new Map<string, Json>();
    while (tokens[at] !== '}') {
      const key = String(JSON.parse(next()));
      next();
      if (members.has(key)) throw new KeyTwice(key);
      members.set(key, value());
      if (tokens[at] === ',') next();
    }
    next();
    return { kind: 'object', members };
  };
  const array = (): Json => {
    const items: Json[] = [];
    while (tokens[at] !== ']') {
      items.push(value());
      if (tokens[at] === ',') next();
    }
    next();
    return { kind: 'array', items };
  };
  return value();
}

export function textOf(json: Json): string {
  switch (json.kind) {
    case 'scalar':
      return json.text;
    case 'array':
      return `[${json.items.map(textOf).join(',')}]`;
    case 'object':
      return `{${[...json.members].map(([key, value]) => `${JSON.stringify(key)}:${textOf(value)}`).join(',')}}`;
  }
}
