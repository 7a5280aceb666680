/** Objects of an answer that comes as lines. Ends where the answer does, also in the middle of a line. */
export async function* objectsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Record<string, unknown>> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) yield JSON.parse(part) as Record<string, unknown>;
  }
}
