export type Value = number | null;

/** A line through the values, `step` apart, that breaks off where there is none; what stands alone is a dot. */
export function linePath(values: readonly Value[], step: number, y: (value: number) => number): string {
  let path = '';
  values.forEach((value, i) => {
    if (value === null) return;
    const begins = (values[i - 1] ?? null) === null;
    const alone = begins && (values[i + 1] ?? null) === null;
    path += `${begins ? 'M' : 'L'}${(i * step).toFixed(1)} ${y(value).toFixed(1)}${alone ? 'h0.1' : ''}`;
  });
  return path;
}
