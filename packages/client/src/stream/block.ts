/** What stands between two empty lines of a stream. Without data it is a sign of life that says how far a quiet stream was read. */
export interface Block {
  readonly id: string | null;
  readonly event: string;
  readonly data: string | null;
}

/** Lines that begin with a colon are comments. */
export function parseBlock(block: string): Block {
  const fields = new Map<string, string[]>();
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    if (name === '') continue;
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  return {
    id: fields.get('id')?.at(-1) ?? null,
    event: fields.get('event')?.at(-1) ?? 'message',
    data: fields.get('data')?.join('\n') ?? null,
  };
}
