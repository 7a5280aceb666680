/** Objects of an answer that comes as lines. Ends where the answer does, also in the middle of a line. */
export async function* objectsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Record<string, unknown>> {
  for await (const line of linesOf(body)) yield JSON.parse(line) as Record<string, unknown>;
}

/** The same as the text of each line. */
export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
}
