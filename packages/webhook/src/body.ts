/** A request's body; null: it has more than so many bytes, and the rest was not read. */
export async function readBody({ headers, body }: Request, maxBytes: number): Promise<Uint8Array | null> {
  if (Number(headers.get('content-length') ?? 0) > maxBytes) return null;
  const parts: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the stream.
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.byteLength;
    if (bytes > maxBytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
