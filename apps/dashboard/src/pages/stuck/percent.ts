/** 0.9583 → `95.8%`: never rounded up to what it is not, since a level hangs on it. */
export function percent(share: number): string {
  return `${String(Math.floor(share * 1_000 + 1e-9) / 10)}%`;
}
