const DEEPEST = 64;

/**
 * JSON with line breaks and indents, and not one value written anew: reading it with JSON.parse would round large integers, turn
 * `1.0` into `1` and drop keys that stand twice. What is no JSON is given back as it is.
 */
export function indentJson(text: string): string {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gu);
  if (tokens === null || tokens.join('').length !== text.replaceAll(/"(?:[^"\\]|\\.)*"|\s+/gu, (found) => (found.startsWith('"') ? found : '')).length) return text;
  let depth = 0;
  let out = '';
  // Deeper than anybody reads, it would only be spaces: as many as the square of its length.
  const line = (): string => `\n${'  '.repeat(Math.min(depth, DEEPEST))}`;
  tokens.forEach((token, i) => {
    const opens = token === '{' || token === '[';
    const closes = token === '}' || token === ']';
    const before = tokens[i - 1];
    if (closes) {
      depth = Math.max(0, depth - 1);
      if (before !== '{' && before !== '[') out += line();
    } else if (before === '{' || before === '[' || before === ',') out += line();
    out += token === ':' ? ': ' : token;
    if (opens) depth += 1;
  });
  return out;
}
