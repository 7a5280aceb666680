let lastSecond = NaN;
let text = '';

/** RFC 3339. Most events of a fleet fall into the second of the one before, and writing a date out is what takes longest. */
export function textOf(ms: number): string {
  const whole = Math.floor(ms);
  const second = Math.floor(whole / 1_000);
  if (second !== lastSecond) {
    lastSecond = second;
    text = new Date(second * 1_000).toISOString().slice(0, 20);
  }
  return `${text}${String(whole - second * 1_000).padStart(3, '0')}Z`;
}
